//! The changes that visitors make.

use super::feedback::find;
use super::help::is_public;
use super::{Found, Visit, gone};
use crate::help_articles::ArticleFeedback;
use crate::moderation::post_text;
use crate::people::{Writer, ensure_not_blocked};
use crate::subscriptions::SubscribeUser;
use crate::votes::SetVote;
use crate::write::Update;
use crate::{
    Caller, Denied, Error, Missing, Outcome, Repeat, comments, crud, feedback_posts, help_articles,
    moderation, subscriptions, votes,
};
use hearback_domain::attributes::Attributes;
use hearback_domain::comment::{Comment, CommentDraft, CommentPatch, Visibility};
use hearback_domain::edit::Patch;
use hearback_domain::event::Moderated;
use hearback_domain::feedback_post::{FeedbackPost, Moderation, PostDetails, PostDraft, PostPatch};
use hearback_domain::guest::Way;
use hearback_domain::id::{BoardId, CategoryId, CommentId, HelpArticleId, PostId};
use hearback_domain::person::Person;
use hearback_domain::record::Kind;
use hearback_domain::slug::Slug;
use hearback_domain::subscription::Level;
use hearback_domain::text::{Content, LongText, Title};
use hearback_domain::user::User;
use hearback_domain::vote::{Target, VoteDraft};
use hearback_ports::{Ports, WriteResult};

/// A visitor's post.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DraftPost {
    /// The board.
    pub board: BoardId,
    /// The title.
    pub title: Title,
    /// The description.
    pub description: LongText,
    /// The category.
    pub category: Option<CategoryId>,
}

/// A visitor's comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DraftComment {
    /// The text.
    pub content: Content,
    /// The comment that this one replies to.
    pub parent: Option<CommentId>,
}

/// Casts or withdraws the visitor's vote, unless it is as wanted. A voter on a post hears of its
/// status.
pub async fn vote(ports: &Ports, visit: &Visit, target: Target, voted: bool) -> Result<(), Error> {
    let (voter, is_seen) = match target {
        Target::Feedback(id) => {
            let found = ports.feedback_posts.find(visit.organization(), id).await?;
            let post = found.filter(|it| visit.opens(&it.post)).map(|it| it.post);
            let post = post.ok_or(Error::NotFound(Missing::VoteTarget))?;
            (actor(visit, post.board_id)?, true)
        }
        Target::Roadmap(id) => {
            let voter = signed_in(visit)?;
            let found = ports.roadmap_posts.find(visit.organization(), id).await?;
            let boards = &visit.frame.roadmap_boards;
            let board = |id| boards.iter().find(|board| board.id == id);
            let board = found.and_then(|it| board(it.post.roadmap_board_id));
            (voter, board.is_some_and(|board| board.is_seen_by(Some(voter))))
        }
    };
    if !is_seen {
        return Err(Error::NotFound(Missing::VoteTarget));
    }
    let draft = VoteDraft::default();
    let input = SetVote { target, voter: Person::User(voter.user_id), voted, draft };
    votes::set(ports, visit.admitted("portal/vote"), input, None).await?;
    match target {
        Target::Feedback(id) if voted => begin_to_follow(ports, visit, id, Level::Status).await,
        Target::Feedback(_) | Target::Roadmap(_) => Ok(()),
    }
}

/// Makes a post with the visitor's vote. Returns its slug.
pub async fn submit(
    ports: &Ports,
    visit: &Visit,
    draft: DraftPost,
    repeat: Option<Repeat>,
) -> Result<Slug, Error> {
    if visit.boards().all(|board| board.id != draft.board) {
        return Err(gone(Kind::FeedbackBoard));
    }
    let author = actor(visit, draft.board)?;
    let draft = PostDraft {
        board_id: draft.board,
        title: draft.title,
        description: draft.description,
        slug: None,
        status_id: None,
        category_id: draft.category,
        tag_ids: vec![],
        owner_id: None,
        eta: None,
        eta_is_public: true,
        is_pinned: false,
        moderation: Moderation::Accepted,
        attributes: Attributes::default(),
        created_by_id: None,
        external_id: None,
        created_at: None,
    };
    let voter = Person::User(author.user_id);
    let input = feedback_posts::CreatePost { draft, author: voter.clone(), subscribe_author: true };
    let caller = visit.admitted("portal/submit");
    let id: PostId = created(feedback_posts::create(ports, caller, input, repeat).await?)?.into();
    let target = Target::Feedback(id);
    let vote = SetVote { target, voter, voted: true, draft: VoteDraft::default() };
    match votes::set(ports, caller, vote, None).await {
        // A board may take posts and no votes.
        Ok(_) | Err(Error::Refused(_)) => {}
        Err(error) => return Err(error),
    }
    let details = ports.feedback_posts.find(visit.organization(), id).await?;
    details.map(|it| it.post.slug).ok_or(gone(Kind::FeedbackPost))
}

/// Changes the visitor's own post.
pub async fn edit_post(
    ports: &Ports,
    visit: &Visit,
    slug: &str,
    draft: DraftPost,
) -> Result<(), Error> {
    let post = own_post(ports, visit, slug).await?.post;
    let caller = visit.admitted("portal/edit-post");
    let is_other =
        draft.title.as_str() != post.title || draft.description.as_str() != post.description;
    let place = (Moderated::Post, post.board_id);
    let text = post_text(&draft.title, &draft.description);
    let moderation = edited(ports, visit, caller, place, (post.moderation, &text)).await?;
    let patch = PostPatch {
        title: Some(draft.title),
        description: Some(draft.description),
        category_id: draft.category.map_or(Patch::Clear, Patch::Set),
        moderation: moderation.filter(|_| is_other),
        ..PostPatch::default()
    };
    feedback_posts::update(ports, caller, Update::new(post.id, patch), None).await.map(drop)
}

/// Deletes the visitor's own post. Returns the board, to go on from there.
pub async fn delete_post(ports: &Ports, visit: &Visit, slug: &str) -> Result<BoardId, Error> {
    let details = own_post(ports, visit, slug).await?;
    if details.is_taken_up() {
        return Err(gone(Kind::FeedbackPost));
    }
    let caller = visit.admitted("portal/delete-post");
    crud::delete::<FeedbackPost>(ports, caller, details.post.id, None).await?;
    Ok(details.post.board_id)
}

async fn own_post(ports: &Ports, visit: &Visit, slug: &str) -> Result<PostDetails, Error> {
    let Found::Here(details) = find(ports, visit, slug).await? else {
        return Err(gone(Kind::FeedbackPost));
    };
    let author = actor(visit, details.post.board_id)?.user_id;
    if details.post.author_id == author { Ok(details) } else { Err(gone(Kind::FeedbackPost)) }
}

/// Makes a comment on a post. Its author hears of the post from then on.
pub async fn comment(
    ports: &Ports,
    visit: &Visit,
    slug: &str,
    DraftComment { content, parent }: DraftComment,
    repeat: Option<Repeat>,
) -> Result<CommentId, Error> {
    let Found::Here(details) = find(ports, visit, slug).await? else {
        return Err(gone(Kind::FeedbackPost));
    };
    let author = actor(visit, details.post.board_id)?;
    if let Some(parent) = parent {
        let found = ports.comments.find(visit.organization(), parent).await?;
        let is_seen = |it: &Comment| {
            it.visibility == Visibility::Public
                && visit.audience().sees(it.moderation, it.author_id)
        };
        found.filter(is_seen).ok_or(gone(Kind::Comment))?;
    }
    let draft = CommentDraft {
        feedback_post_id: details.post.id,
        content,
        parent_comment_id: parent,
        visibility: Some(Visibility::Public),
        moderation: Moderation::Accepted,
        external_id: None,
        created_at: None,
    };
    let author = Person::User(author.user_id);
    let input = comments::CreateComment { draft, author, notify: true };
    let caller = visit.admitted("portal/comment");
    let id = created(comments::create(ports, caller, input, repeat).await?)?;
    begin_to_follow(ports, visit, details.post.id, Level::All).await?;
    Ok(id.into())
}

/// Changes the visitor's own comment.
pub async fn edit_comment(
    ports: &Ports,
    visit: &Visit,
    id: CommentId,
    content: Content,
) -> Result<(), Error> {
    let (comment, board) = own_comment(ports, visit, id).await?;
    let caller = visit.admitted("portal/edit-comment");
    let is_other = content.as_str() != comment.content;
    let place = (Moderated::Comment, board);
    let present = (comment.moderation, content.as_str());
    let moderation = edited(ports, visit, caller, place, present).await?;
    let moderation = moderation.filter(|_| is_other);
    let patch = CommentPatch { content: Some(content), moderation, ..CommentPatch::default() };
    comments::update(ports, caller, Update::new(id, patch), None).await.map(drop)
}

/// Deletes the visitor's own comment.
pub async fn delete_comment(ports: &Ports, visit: &Visit, id: CommentId) -> Result<(), Error> {
    own_comment(ports, visit, id).await?;
    let caller = visit.admitted("portal/delete-comment");
    crud::delete::<Comment>(ports, caller, id, None).await.map(drop)
}

/// The new state of moderation of a text that its author changes, if it is another one. What was
/// accepted is not what is written now, and waits again where a new text would wait.
async fn edited(
    ports: &Ports,
    visit: &Visit,
    caller: Caller,
    place: (Moderated, BoardId),
    (present, text): (Moderation, &str),
) -> Result<Option<Moderation>, Error> {
    let author = actor(visit, place.1)?;
    ensure_not_blocked(author)?;
    if present != Moderation::Accepted {
        return Ok(None);
    }
    let writer = Writer { id: author.user_id, is_trusted: author.is_trusted };
    let state = moderation::beginning(ports, caller, present, place, (writer, text)).await?;
    Ok((state != present).then_some(state))
}

async fn own_comment(
    ports: &Ports,
    visit: &Visit,
    id: CommentId,
) -> Result<(Comment, BoardId), Error> {
    let author = visit.actor().ok_or(Error::Denied(Denied::NotSignedIn))?.user_id;
    let found = ports.comments.find(visit.organization(), id).await?;
    let is_own = |it: &Comment| it.author_id == author && it.visibility == Visibility::Public;
    let comment = found.filter(is_own).ok_or(gone(Kind::Comment))?;
    // The visitor may have lost the right to see the board, or to write on it.
    let post = ports.feedback_posts.find(visit.organization(), comment.feedback_post_id).await?;
    let post = post.filter(|it| visit.opens(&it.post)).ok_or(gone(Kind::Comment))?.post;
    actor(visit, post.board_id)?;
    Ok((comment, post.board_id))
}

/// Sets the news of a post that the visitor wants. `None`: none.
pub async fn follow(
    ports: &Ports,
    visit: &Visit,
    slug: &str,
    level: Option<Level>,
) -> Result<(), Error> {
    let Found::Here(details) = find(ports, visit, slug).await? else {
        return Err(gone(Kind::FeedbackPost));
    };
    let user = actor(visit, details.post.board_id)?.user_id;
    let caller = visit.admitted("portal/follow");
    let input = |level| SubscribeUser { post: details.post.id, user, level };
    match level {
        Some(level) => subscriptions::subscribe(ports, caller, input(level), None).await?,
        None => subscriptions::unsubscribe(ports, caller, input(Level::All), None).await?,
    };
    Ok(())
}

/// Subscribes the visitor to a post, unless there is a subscription. Mail about posts goes to users
/// who ask for mail, and a visitor who takes part asks for it.
async fn begin_to_follow(
    ports: &Ports,
    visit: &Visit,
    post: PostId,
    level: Level,
) -> Result<(), Error> {
    let user = visit.actor().ok_or(Error::Denied(Denied::NotSignedIn))?.user_id;
    if ports.subscriptions.find(visit.organization(), post, user).await?.is_some() {
        return Ok(());
    }
    let caller = visit.admitted("portal/follow");
    subscriptions::subscribe(ports, caller, SubscribeUser { post, user, level }, None).await?;
    Ok(())
}

/// Counts the answer of any visitor to "was this helpful?", if visitors may read the article.
pub async fn answer(
    ports: &Ports,
    visit: &Visit,
    id: HelpArticleId,
    is_helpful: bool,
) -> Result<(), Error> {
    let found = ports.help_articles.find(visit.organization(), id).await?;
    found.filter(|it| is_public(&it.summary)).ok_or(gone(Kind::HelpArticle))?;
    let caller = visit.admitted("portal/answer");
    let input = ArticleFeedback { id, is_helpful, comment: None };
    help_articles::feedback(ports, caller, input, None).await.map(drop)
}

/// The visitor, who must have signed in.
fn signed_in(visit: &Visit) -> Result<&User, Error> {
    visit.oneself().map(|(_, user)| user)
}

/// The visitor who acts on a board: who has signed in, or is a guest where guests may act.
fn actor(visit: &Visit, board: BoardId) -> Result<&User, Error> {
    let takes_guests =
        visit.frame.board(board).is_some_and(|it| visit.way(it, false) == Some(Way::Guest));
    let guest = visit.guest.as_ref().filter(|_| takes_guests && visit.user().is_none());
    guest.map_or_else(|| signed_in(visit), Ok)
}

/// The identifier of the record that a write has made.
fn created(outcome: Outcome) -> Result<hearback_domain::Uuid, Error> {
    let (Outcome::Fresh(result) | Outcome::Replayed(result)) = outcome;
    match result {
        WriteResult::Created(id) => Ok(id),
        // A write that makes a record answers with its identifier.
        _ => Err(gone(Kind::FeedbackPost)),
    }
}
