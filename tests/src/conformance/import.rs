//! `Importer`

#![expect(missing_docs, reason = "the name of a case states its rule")]

use super::organizations::at_host;
use super::{KINDS, Stage, export_all, inventory};
use crate::build::{Imported, OfKind, Tenant, batch, begin, organization};
use crate::deliveries::pending;
use crate::members::crosses;
use crate::system::fresh;
use hearback_domain::api_key::ApiKey;
use hearback_domain::changelog_entry::ChangelogEntry;
use hearback_domain::comment::Comment;
use hearback_domain::company::Company;
use hearback_domain::feedback_post::FeedbackPost;
use hearback_domain::help_article::{ArticleParent, HelpArticle};
use hearback_domain::help_article_version::HelpArticleVersion;
use hearback_domain::id::{HelpArticleId, OrganizationId, PostId, UserId};
use hearback_domain::merge::DroppedVote;
use hearback_domain::merge::MergeRecord;
use hearback_domain::organization::Organization;
use hearback_domain::roadmap_post::RoadmapPost;
use hearback_domain::slug::Slug;
use hearback_domain::status::Status;
use hearback_domain::user::User;
use hearback_domain::vote::{Target, Vote};
use hearback_domain::{Uuid, feedback_board, help_category, help_collection, roadmap_board};
use hearback_ports::import::{Ending, Links, MergedPost, PutError, PutFault};
use hearback_ports::{Batch, Kind, Record, Unique};
use std::cell::Cell;

/// The index of the record at fault, and its fault.
fn fault(result: Result<(), PutError>) -> (usize, PutFault) {
    match result {
        Err(PutError::Fault { index, fault }) => (index, fault),
        other => panic!("not a fault: {other:?}"),
    }
}

/// Imports a batch into an organization, and discards the import.
async fn put(
    stage: &Stage,
    organization: OrganizationId,
    records: Vec<Record>,
) -> Result<(), PutError> {
    begin(&stage.ports).await.put(organization, batch(records)).await
}

/// An organization for further imports, and records that can be imported into it.
struct Base {
    acme: Imported,
    users: Vec<User>,
    posts: [FeedbackPost; 2],
    plan: RoadmapPost,
    entry: ChangelogEntry,
    article: HelpArticle,
    /// Posts without links and subscribers.
    quiet: Vec<FeedbackPost>,
    rich: Vec<Record>,
    next_voter: Cell<usize>,
}

impl Base {
    async fn new(stage: &Stage) -> Self {
        let mut acme = Tenant::new();
        let users: Vec<User> = (0..90).map(|_| acme.add(acme.user())).collect();
        let (owner_id, author_id) = (Some(users[0].user_id), Some(users[1].user_id));
        let category_id = Some(acme.add(acme.category()).id);
        let tag_ids = vec![acme.add(acme.tag()).id, acme.add(acme.tag()).id];
        let label_ids = vec![acme.add(acme.label()).id, acme.add(acme.label()).id];
        let posts = [acme.add(acme.post()), acme.add(acme.post())];
        let plan = acme.add(acme.roadmap_post());
        let entry = acme.add(acme.entry());
        let quiet: Vec<FeedbackPost> = (0..90).map(|_| acme.add(acme.post())).collect();
        let comment = acme.add(acme.comment(&posts[0]));
        let filed = acme.add(acme.help_category());
        let article = acme.add(acme.article());
        // A record of each kind that refers to other records, with as many references as possible.
        let rich = vec![
            FeedbackPost { owner_id, category_id, tag_ids, ..acme.post() }.into_record(),
            RoadmapPost { author_id, owner_id, category_id, ..acme.roadmap_post() }.into_record(),
            Comment { parent_comment_id: Some(comment.id), ..acme.comment(&posts[0]) }
                .into_record(),
            acme.vote(&users[0], &posts[0]).into_record(),
            acme.vote(&users[0], &plan).into_record(),
            acme.merge(&posts[0], &posts[1]).into_record(),
            acme.dropped_vote(&users[0], &posts[0], &posts[1]).into_record(),
            ChangelogEntry { author_id, label_ids, ..acme.entry() }.into_record(),
            acme.help_category().into_record(),
            HelpArticle { author_id, ..acme.article() }.into_record(),
            HelpArticle { parent: ArticleParent::Category(filed.id), ..acme.article() }
                .into_record(),
            HelpArticleVersion { author_id, ..acme.version(&article, 1) }.into_record(),
        ];
        Self {
            acme: acme.import(&stage.ports).await,
            users,
            posts,
            plan,
            entry,
            article,
            quiet,
            rich,
            next_voter: Cell::new(1),
        }
    }

    /// A new valid record of a kind.
    fn another(&self, kind: Kind) -> Record {
        let acme = &self.acme;
        match kind {
            Kind::Organization => organization().into_record(),
            Kind::Company => acme.company().into_record(),
            Kind::User => acme.user().into_record(),
            Kind::FeedbackBoard => acme.board().into_record(),
            Kind::RoadmapBoard => acme.roadmap_board().into_record(),
            Kind::Status => acme.status().into_record(),
            Kind::Category => acme.category().into_record(),
            Kind::Tag => acme.tag().into_record(),
            Kind::FeedbackPost => acme.post().into_record(),
            Kind::RoadmapPost => acme.roadmap_post().into_record(),
            Kind::RoadmapLink => acme.link(&self.plan, self.another_quiet()).into_record(),
            Kind::EntryLink => acme.entry_link(&self.entry, self.another_quiet()).into_record(),
            Kind::Subscription => {
                acme.post_subscription(&self.users[0], self.another_quiet()).into_record()
            }
            Kind::Comment => acme.comment(&self.posts[0]).into_record(),
            Kind::Vote => self.another_vote().into_record(),
            Kind::Merge => acme.merge(&self.posts[0], &self.posts[1]).into_record(),
            Kind::DroppedVote => {
                let (user, post) = (&self.users[0], self.another_quiet());
                acme.dropped_vote(user, post, &self.posts[0]).into_record()
            }
            Kind::Label => acme.label().into_record(),
            Kind::ChangelogEntry => acme.entry().into_record(),
            Kind::HelpCollection => acme.help_collection().into_record(),
            Kind::HelpCategory => acme.help_category().into_record(),
            Kind::HelpArticle => acme.article().into_record(),
            Kind::HelpArticleVersion => {
                acme.version(&self.article, self.another_version()).into_record()
            }
            Kind::HelpRedirect => {
                acme.redirect(&format!("/{}", self.another_version()), "/help").into_record()
            }
            Kind::WebhookSubscription => acme.subscription().into_record(),
            Kind::ApiKey => acme.api_key().into_record(),
        }
    }

    fn another_quiet(&self) -> &FeedbackPost {
        self.next_voter.set(self.next_voter.get() + 1);
        &self.quiet[self.next_voter.get()]
    }

    /// The number of a version that the article does not have.
    fn another_version(&self) -> i64 {
        self.next_voter.set(self.next_voter.get() + 1);
        i64::try_from(self.next_voter.get()).expect("a small number")
    }

    /// The vote of a user without a vote on the post.
    fn another_vote(&self) -> Vote {
        self.next_voter.set(self.next_voter.get() + 1);
        self.acme.vote(&self.users[self.next_voter.get()], &self.posts[0])
    }

    /// Pairs of records that break a unique rule together. Each of them alone is valid.
    fn collisions(&self) -> Vec<(Record, Record, Unique)> {
        let acme = &self.acme;
        let mut all = Vec::new();
        for &kind in KINDS.iter().filter(|&&kind| kind != Kind::ApiKey) {
            for (member, unique) in [("id", Unique::Id), ("code", Unique::Code)] {
                let (first, second) = (self.another(kind), self.another(kind));
                let crossed = crosses(&second, &first).into_iter().flatten();
                let alike = crossed.filter(|(name, _)| *name == member);
                all.extend(alike.map(|(_, second)| (first.clone(), second, unique)));
            }
            let (mut first, mut second) = (self.another(kind), self.another(kind));
            if let (Some(first_slug), Some(second_slug)) = (slug(&mut first), slug(&mut second)) {
                *second_slug = Slug::parse(&first_slug.as_str().to_ascii_uppercase()).unwrap();
                all.push((first, second, Unique::Slug));
            }
        }
        let host = || at_host("feedback.example.com", organization());
        all.push(pair(host(), host(), Unique::Host));
        let company = acme.company();
        let external_id = company.external_id.clone();
        let other = Company { external_id, ..acme.company() };
        all.push(pair(company, other, Unique::ExternalId));
        let user = acme.user();
        all.push(pair(user.clone(), User { user_id: user.user_id, ..acme.user() }, Unique::UserId));
        all.push(pair(user.clone(), User { email: user.email, ..acme.user() }, Unique::Email));
        let default = || Status { is_default_status: true, ..acme.status() };
        all.push(pair(default(), Status { is_active: false, ..default() }, Unique::DefaultStatus));
        let vote = self.another_vote();
        all.push(pair(vote.clone(), Vote { id: fresh(), ..vote }, Unique::Vote));
        let vote = acme.vote(&self.users[0], &self.plan);
        all.push(pair(vote.clone(), Vote { id: fresh(), ..vote }, Unique::Vote));
        let version = acme.version(&self.article, self.another_version());
        let other = HelpArticleVersion { id: fresh(), ..version.clone() };
        all.push(pair(version, other, Unique::Version));
        let [one, other] = ["/a", "/b"].map(|to| acme.redirect("/twice", to));
        all.push(pair(one, other, Unique::Path));
        let vote = acme.dropped_vote(&self.users[0], self.another_quiet(), &self.posts[0]);
        all.push(pair(vote.clone(), DroppedVote { id: fresh(), ..vote }, Unique::Vote));
        all
    }
}

fn pair<R: OfKind>(first: R, second: R, unique: Unique) -> (Record, Record, Unique) {
    (first.into_record(), second.into_record(), unique)
}

fn slug(record: &mut Record) -> Option<&mut Slug> {
    match record {
        Record::Organization(Organization { slug, .. })
        | Record::FeedbackBoard(feedback_board::FeedbackBoard { slug, .. })
        | Record::RoadmapBoard(roadmap_board::RoadmapBoard { slug, .. })
        | Record::FeedbackPost(FeedbackPost { slug, .. })
        | Record::RoadmapPost(RoadmapPost { slug, .. })
        | Record::ChangelogEntry(ChangelogEntry { slug, .. })
        | Record::HelpCollection(help_collection::HelpCollection { slug, .. })
        | Record::HelpCategory(help_category::HelpCategory { slug, .. })
        | Record::HelpArticle(HelpArticle { slug, .. }) => Some(slug),
        _ => None,
    }
}

/// Sets a reference of a record to `id`.
fn point(record: &mut Record, member: &str, id: Uuid) {
    match (record, member) {
        (Record::FeedbackPost(post), "board_id") => post.board_id = id.into(),
        (Record::FeedbackPost(post), "author_id") => post.author_id = id.into(),
        (Record::FeedbackPost(post), "owner_id") => post.owner_id = Some(id.into()),
        (Record::FeedbackPost(post), "status_id") => post.status_id = id.into(),
        (Record::FeedbackPost(post), "category_id") => post.category_id = Some(id.into()),
        (Record::FeedbackPost(post), "tag_ids") => post.tag_ids[1] = id.into(),
        (Record::RoadmapPost(post), "roadmap_board_id") => post.roadmap_board_id = id.into(),
        (Record::RoadmapPost(post), "author_id") => post.author_id = Some(id.into()),
        (Record::RoadmapPost(post), "owner_id") => post.owner_id = Some(id.into()),
        (Record::RoadmapPost(post), "status_id") => post.status_id = id.into(),
        (Record::RoadmapPost(post), "category_id") => post.category_id = Some(id.into()),
        (Record::Comment(comment), "author_id") => comment.author_id = id.into(),
        (Record::Comment(comment), "feedback_post_id") => comment.feedback_post_id = id.into(),
        (Record::Comment(comment), "parent_comment_id") => {
            comment.parent_comment_id = Some(id.into())
        }
        (Record::Vote(vote), "user_id") => vote.user_id = id.into(),
        (Record::Vote(vote), "post_id") => {
            vote.target = match vote.target {
                Target::Feedback(_) => Target::Feedback(id.into()),
                Target::Roadmap(_) => Target::Roadmap(id.into()),
            }
        }
        (Record::Merge(merge), "merge_post_id") => merge.merge_post_id = id.into(),
        (Record::Merge(merge), "into_post_id") => merge.into_post_id = id.into(),
        (Record::Merge(merge), "merger_id") => merge.merger_id = id.into(),
        (Record::DroppedVote(vote), "user_id") => vote.user_id = id.into(),
        (Record::DroppedVote(vote), "feedback_post_id") => vote.feedback_post_id = id.into(),
        (Record::DroppedVote(vote), "kept_post_id") => vote.kept_post_id = id.into(),
        (Record::ChangelogEntry(entry), "author_id") => entry.author_id = Some(id.into()),
        (Record::ChangelogEntry(entry), "label_ids") => entry.label_ids[1] = id.into(),
        (Record::HelpCategory(category), "collection_id") => category.collection_id = id.into(),
        (Record::HelpArticle(article), "collection_id") => {
            article.parent = ArticleParent::Collection(id.into())
        }
        (Record::HelpArticle(article), "category_id") => {
            article.parent = ArticleParent::Category(id.into())
        }
        (Record::HelpArticle(article), "author_id") => article.author_id = Some(id.into()),
        (Record::HelpArticleVersion(version), "help_article_id") => {
            version.help_article_id = id.into()
        }
        (Record::HelpArticleVersion(version), "author_id") => version.author_id = Some(id.into()),
        (record, member) => panic!("{member} of {record:?} is not a reference"),
    }
}

pub async fn a_record_that_breaks_a_unique_rule_is_named(stage: Stage) {
    let base = Base::new(&stage).await;
    let before = inventory(&stage, base.acme.id()).await;
    for (first, second, unique) in base.collisions() {
        let kind = first.kind();
        let (good, last) = (base.another(kind), base.another(kind));
        // The rule holds within one batch.
        let records =
            vec![good.clone(), first.clone(), last.clone(), second.clone(), base.another(kind)];
        assert_eq!(
            fault(put(&stage, base.acme.id(), records).await),
            (3, PutFault::Taken(unique)),
            "{second:?}"
        );
        // The rule holds between a batch and an earlier one.
        let mut import = begin(&stage.ports).await;
        import.put(base.acme.id(), batch(vec![first])).await.unwrap();
        let result = import.put(base.acme.id(), batch(vec![good, second.clone(), last])).await;
        assert_eq!(fault(result), (1, PutFault::Taken(unique)), "{second:?}");
        // The second record is valid without the first.
        drop(import);
        put(&stage, base.acme.id(), vec![second]).await.unwrap();
    }
    assert_eq!(inventory(&stage, base.acme.id()).await, before);
}

pub async fn of_several_unique_rules_the_identifiers_comes_first(stage: Stage) {
    let base = Base::new(&stage).await;
    let id = base.acme.id();
    for &kind in KINDS.iter().filter(|&&kind| kind != Kind::Organization) {
        let record = base.another(kind);
        let result = put(&stage, id, vec![record.clone(), record]).await;
        assert_eq!(fault(result), (1, PutFault::Taken(Unique::Id)), "{kind:?}");
    }
    let again = base.acme.organization.clone().into_record();
    assert_eq!(fault(put(&stage, id, vec![again]).await), (0, PutFault::Taken(Unique::Id)));
    // The identifier of the person comes next.
    let user = base.acme.user();
    let alike = User { id: base.acme.user().id, ..user.clone() };
    let result = put(&stage, id, vec![user.into_record(), alike.into_record()]).await;
    assert_eq!(fault(result), (1, PutFault::Taken(Unique::UserId)));
}

pub async fn a_second_active_key_and_a_known_key_are_named(stage: Stage) {
    let base = Base::new(&stage).await;
    let (id, key) = (base.acme.id(), base.acme.api_key());
    let result = put(&stage, id, vec![key.clone().into_record(), base.another(Kind::ApiKey)]).await;
    assert_eq!(fault(result), (1, PutFault::Taken(Unique::ActiveKey)));
    base.acme.append(&stage.ports, vec![key.clone().into_record()]).await;
    let globex = Tenant::new().import(&stage.ports).await;
    let alike = ApiKey { digest: key.digest, ..base.acme.api_key() };
    assert_eq!(
        fault(put(&stage, globex.id(), vec![alike.into_record()]).await),
        (0, PutFault::Taken(Unique::KeyDigest))
    );
}

pub async fn a_record_that_refers_to_a_missing_record_is_named(stage: Stage) {
    let base = Base::new(&stage).await;
    let globex = Tenant::full().import(&stage.ports).await;
    let foreign = |kind| match globex.exported().into_iter().find(|record| record.kind() == kind) {
        Some(Record::User(user)) => user.user_id.0,
        Some(record) => record.id(),
        None => panic!("an organization without {kind:?}"),
    };
    let before = inventory(&stage, base.acme.id()).await;
    for record in &base.rich {
        let references = record.references();
        assert!(!references.is_empty(), "{record:?} has references");
        put(&stage, base.acme.id(), vec![record.clone()]).await.unwrap();
        for reference in references {
            for id in [fresh(), foreign(reference.kind)] {
                let mut wrong = record.clone();
                point(&mut wrong, reference.member, id);
                let result =
                    put(&stage, base.acme.id(), vec![base.another(record.kind()), wrong]).await;
                assert_eq!(
                    fault(result),
                    (1, PutFault::Unknown { member: reference.member, id }),
                    "{record:?}"
                );
            }
        }
    }
    assert_eq!(inventory(&stage, base.acme.id()).await, before);
}

pub async fn of_several_wrong_references_the_first_one_is_named(stage: Stage) {
    let base = Base::new(&stage).await;
    for record in &base.rich {
        let mut wrong = record.clone();
        let id: Uuid = fresh();
        for reference in record.references() {
            point(&mut wrong, reference.member, id);
        }
        let member = record.references()[0].member;
        assert_eq!(
            fault(put(&stage, base.acme.id(), vec![wrong]).await),
            (0, PutFault::Unknown { member, id }),
            "{record:?}"
        );
    }
}

pub async fn a_merge_that_lists_a_missing_user_is_named(stage: Stage) {
    let base = Base::new(&stage).await;
    for member in ["moved_user_ids", "dropped_user_ids"] {
        let Record::Merge(right) = base.another(Kind::Merge) else { panic!("a merge") };
        let mut wrong = MergeRecord { id: fresh(), ..right.clone() };
        let unknown: UserId = fresh();
        match member {
            "moved_user_ids" => wrong.moved_user_ids.push(unknown),
            _ => wrong.dropped_user_ids.push(unknown),
        }
        let records = vec![Record::Merge(right), Record::Merge(wrong)];
        let expected = (1, PutFault::Unknown { member, id: unknown.0 });
        assert_eq!(fault(put(&stage, base.acme.id(), records).await), expected);
    }
}

pub async fn a_parent_comment_on_another_post_is_a_mismatch(stage: Stage) {
    let base = Base::new(&stage).await;
    let elsewhere = base.acme.comment(&base.posts[1]);
    let reply =
        Comment { parent_comment_id: Some(elsewhere.id), ..base.acme.comment(&base.posts[0]) };
    let mismatch = PutFault::Mismatch { member: "parent_comment_id" };
    let records = vec![
        elsewhere.clone().into_record(),
        base.another(Kind::Comment),
        reply.clone().into_record(),
    ];
    assert_eq!(fault(put(&stage, base.acme.id(), records).await), (2, mismatch));
    base.acme.append(&stage.ports, vec![elsewhere.into_record()]).await;
    assert_eq!(fault(put(&stage, base.acme.id(), vec![reply.into_record()]).await), (0, mismatch));
}

pub async fn a_comment_that_answers_itself_has_a_missing_parent(stage: Stage) {
    let base = Base::new(&stage).await;
    let mut comment = base.acme.comment(&base.posts[0]);
    comment.parent_comment_id = Some(comment.id);
    let unknown = PutFault::Unknown { member: "parent_comment_id", id: comment.id.0 };
    assert_eq!(fault(put(&stage, base.acme.id(), vec![comment.into_record()]).await), (0, unknown));
}

pub async fn the_first_fault_of_a_large_batch_is_named(stage: Stage) {
    let base = Base::new(&stage).await;
    let before = inventory(&stage, base.acme.id()).await;
    for index in [0, 617, 999] {
        let mut users: Vec<User> = (0..1_000).map(|_| base.acme.user()).collect();
        users[index].user_id = base.users[0].user_id;
        // A later record breaks another rule.
        let later = users.len() - 1;
        if later > index {
            users[later].id = users[later - 1].id;
        }
        let records = users.into_iter().map(OfKind::into_record).collect();
        assert_eq!(
            fault(put(&stage, base.acme.id(), records).await),
            (index, PutFault::Taken(Unique::UserId))
        );
    }
    let mut comments: Vec<Comment> =
        (0..1_000).map(|_| base.acme.comment(&base.posts[0])).collect();
    let unknown = fresh();
    comments[501].parent_comment_id = Some(unknown);
    let records = comments.into_iter().map(OfKind::into_record).collect();
    let member = "parent_comment_id";
    assert_eq!(
        fault(put(&stage, base.acme.id(), records).await),
        (501, PutFault::Unknown { member, id: unknown.0 })
    );
    assert_eq!(inventory(&stage, base.acme.id()).await, before);
}

pub async fn a_link_to_a_missing_record_is_named(stage: Stage) {
    let mut globex = Tenant::new();
    let (foreign_post, foreign_article) = (globex.add(globex.post()), globex.add(globex.article()));
    globex.import(&stage.ports).await;
    let acme = Tenant::new();
    let posts: Vec<PostId> = (0..4).map(|_| acme.post()).map(|post| post.id).collect();
    let articles: Vec<HelpArticleId> =
        (0..4).map(|_| acme.article()).map(|article| article.id).collect();
    let written = |acme: &Tenant| {
        let posts = posts.iter().map(|&id| FeedbackPost { id, ..acme.post() }).collect();
        let articles = articles.iter().map(|&id| HelpArticle { id, ..acme.article() }).collect();
        (Batch::FeedbackPost(posts), Batch::HelpArticle(articles))
    };
    let merged = |id, into| MergedPost { id, into, finally: into };
    let merges = [merged(posts[0], posts[3]), merged(posts[1], posts[3])];
    for (into, related) in [(fresh(), fresh()), (foreign_post.id, foreign_article.id)] {
        let to_post = Links {
            merged_posts: vec![merges[0], merged(posts[1], into), merges[1]],
            related_articles: vec![],
        };
        let related_articles = vec![
            (articles[0], vec![articles[1], articles[2]]),
            (articles[1], vec![articles[0], related, articles[2]]),
        ];
        let to_article = Links { merged_posts: merges.to_vec(), related_articles };
        for (links, expected) in [
            (to_post, (1, PutFault::Unknown { member: "merged_into_id", id: into.0 })),
            (to_article, (3, PutFault::Unknown { member: "related_article_ids", id: related.0 })),
        ] {
            let mut import = begin(&stage.ports).await;
            acme.put(&mut *import).await.unwrap();
            let (posts, articles) = written(&acme);
            import.put(acme.id(), posts).await.unwrap();
            import.put(acme.id(), articles).await.unwrap();
            assert_eq!(fault(import.link(acme.id(), links).await), expected);
        }
    }
    assert!(inventory(&stage, acme.id()).await.is_empty());
}

pub async fn posts_and_articles_name_nothing_later_before_they_are_linked(stage: Stage) {
    let base = Base::new(&stage).await;
    let (into, related) = (base.posts[0].id, base.acme.article());
    let post = FeedbackPost { merged_into_id: Some(into), ..base.acme.post() };
    let article = HelpArticle { related_article_ids: vec![related.id], ..base.acme.article() };
    base.acme.append(&stage.ports, vec![related.into_record()]).await;
    base.acme.append(&stage.ports, vec![post.clone().into_record()]).await;
    base.acme.append(&stage.ports, vec![article.clone().into_record()]).await;
    let records = export_all(&stage.ports, base.acme.id()).await;
    assert!(records.contains(&FeedbackPost { merged_into_id: None, ..post }.into_record()));
    assert!(
        records.contains(&HelpArticle { related_article_ids: vec![], ..article }.into_record())
    );
}

pub async fn imported_records_exist_once_the_import_ends(stage: Stage) {
    let acme = Tenant::full();
    let mut import = begin(&stage.ports).await;
    acme.put(&mut *import).await.unwrap();
    let slug = acme.organization.slug.as_str();
    assert_eq!(stage.ports.organizations.find_by_slug(slug).await.unwrap(), None);
    assert!(inventory(&stage, acme.id()).await.is_empty());
    import.finish(Ending::Commit).await.unwrap();
    assert_eq!(
        stage.ports.organizations.find_by_slug(slug).await.unwrap(),
        Some(acme.organization.clone())
    );
    assert_eq!(export_all(&stage.ports, acme.id()).await, acme.exported());
}

pub async fn an_import_that_is_given_up_leaves_nothing(stage: Stage) {
    let acme = Tenant::full();
    let mut given_up = begin(&stage.ports).await;
    acme.put(&mut *given_up).await.unwrap();
    drop(given_up);
    let mut dry_run = begin(&stage.ports).await;
    acme.put(&mut *dry_run).await.unwrap();
    dry_run.finish(Ending::Discard).await.unwrap();
    assert!(inventory(&stage, acme.id()).await.is_empty());
    let slug = acme.organization.slug.as_str();
    assert_eq!(stage.ports.organizations.find_by_slug(slug).await.unwrap(), None);
    // The organization can still be imported.
    let acme = acme.import(&stage.ports).await;
    assert_eq!(export_all(&stage.ports, acme.id()).await, acme.exported());
}

pub async fn several_organizations_are_imported_at_once(stage: Stage) {
    let organizations = [organization(), organization(), organization()];
    let mut import = begin(&stage.ports).await;
    // A batch of organizations belongs to no organization, so any identifier is accepted.
    import.put(fresh(), Batch::Organization(organizations.to_vec())).await.unwrap();
    let full = [Tenant::full(), Tenant::full()];
    for tenant in &full {
        tenant.put(&mut *import).await.unwrap();
    }
    import.finish(Ending::Commit).await.unwrap();
    for organization in organizations {
        assert_eq!(export_all(&stage.ports, organization.id).await, [organization.into_record()]);
    }
    for tenant in full {
        assert_eq!(export_all(&stage.ports, tenant.id()).await, tenant.exported());
    }
}

pub async fn an_import_records_no_event(stage: Stage) {
    let base = Base::new(&stage).await;
    base.acme.append(&stage.ports, vec![base.acme.subscription().into_record()]).await;
    base.acme.append(&stage.ports, vec![base.another_vote().into_record()]).await;
    assert_eq!(stage.ports.events.list(base.acme.id(), None, 10).await.unwrap(), []);
    assert_eq!(pending(&stage, base.acme.id()).await, []);
}

pub async fn boards_and_statuses_make_way_unless_records_name_them(stage: Stage) {
    let mut acme = Tenant::new();
    let (board, status) = (acme.add(acme.board()), acme.add(acme.status()));
    let user = acme.add(acme.user());
    let acme = acme.import(&stage.ports).await;
    let mut import = begin(&stage.ports).await;
    assert!(import.make_way(acme.id()).await.unwrap());
    // The values of the removed records are free again.
    let board = feedback_board::FeedbackBoard { id: fresh(), ..board };
    let status = Status { id: fresh(), ..status };
    import.put(acme.id(), Batch::FeedbackBoard(vec![board.clone()])).await.unwrap();
    import.put(acme.id(), Batch::Status(vec![status.clone()])).await.unwrap();
    import.finish(Ending::Commit).await.unwrap();
    let records = export_all(&stage.ports, acme.id()).await;
    let of = |kind| records.iter().filter(move |record| record.kind() == kind);
    assert_eq!(Vec::from_iter(of(Kind::FeedbackBoard)), [&board.into_record()]);
    assert_eq!(Vec::from_iter(of(Kind::Status)), [&status.into_record()]);
    assert!(records.contains(&user.into_record()));

    let base = Base::new(&stage).await;
    let before = inventory(&stage, base.acme.id()).await;
    let mut import = begin(&stage.ports).await;
    assert!(!import.make_way(base.acme.id()).await.unwrap());
    // The import goes on.
    let tag = base.another(Kind::Tag);
    import.put(base.acme.id(), batch(vec![tag])).await.unwrap();
    import.finish(Ending::Discard).await.unwrap();
    assert_eq!(inventory(&stage, base.acme.id()).await, before);
}
