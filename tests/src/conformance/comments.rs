//! `CommentRepository`

#![expect(missing_docs, reason = "the name of a case states its rule")]

use super::Stage;
use crate::build::Tenant;
use crate::system::fresh;
use hearback_domain::ClosedSet;
use hearback_domain::comment::{Comment, Visibility};
use hearback_domain::feedback_post::{FeedbackPost, Moderation};
use hearback_domain::id::PostId;
use hearback_domain::moderation::Audience;

/// The counts of a tenant's public comments that an audience sees, by post.
fn counts(tenant: &Tenant, posts: &[PostId], audience: Audience) -> Vec<(PostId, i64)> {
    let mut comments = tenant.all::<Comment>();
    comments.retain(|comment| {
        comment.is_active
            && comment.visibility == Visibility::Public
            && audience.sees(comment.moderation, comment.author_id)
    });
    let of = |post: &PostId| comments.iter().filter(|it| it.feedback_post_id == *post).count();
    let mut counts: Vec<_> = posts.iter().map(|post| (*post, of(post) as i64)).collect();
    counts.retain(|(_, count)| *count > 0);
    counts.sort_unstable();
    counts
}

pub async fn the_public_comments_of_posts_are_counted_for_each_audience(stage: Stage) {
    let mut acme = Tenant::new();
    let other = acme.add(acme.user());
    let [full, few, none, unasked] = [(); 4].map(|()| acme.add(acme.post()));
    let deleted = acme.add(FeedbackPost { is_active: false, ..acme.post() });
    for author_id in [acme.author.user_id, other.user_id] {
        for &moderation in Moderation::ALL {
            for &visibility in Visibility::ALL {
                for is_active in [true, false] {
                    for post in [&full, &full, &unasked] {
                        let comment = Comment { author_id, moderation, ..acme.comment(post) };
                        acme.add(Comment { visibility, is_active, ..comment });
                    }
                }
            }
        }
    }
    let waiting = Comment { moderation: Moderation::Pending, ..acme.comment(&few) };
    acme.add(Comment { author_id: other.user_id, ..waiting });
    acme.add(acme.comment(&deleted));
    let acme = acme.import(&stage.ports).await;
    let posts = [full.id, few.id, none.id, deleted.id, fresh()];
    let visitors = [None, Some(acme.author.user_id), Some(other.user_id), Some(fresh())];
    for audience in visitors.map(Audience::Visitor).into_iter().chain([Audience::Team]) {
        for tenant in [&*acme, acme.twin(), acme.opposite()] {
            for posts in [&posts[..], &posts[..1], &posts[1..3], &[]] {
                let (comments, posts_asked) = (&stage.ports.comments, posts.to_vec());
                let counted = comments.public_counts(tenant.id(), posts_asked, audience).await;
                let mut counted = counted.unwrap();
                counted.sort_unstable();
                assert_eq!(counted, counts(tenant, posts, audience), "{audience:?}");
            }
        }
    }
}
