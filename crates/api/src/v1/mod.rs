//! The endpoints of version 1. The file of `/votes/toggle` is `votes/toggle.rs`; a resource with a single endpoint is a
//! single file.

mod categories;
mod changelog;
mod comments;
mod feedback_boards;
mod feedback_posts;
mod help_articles;
mod help_categories;
mod help_collections;
mod labels;
mod roadmap_boards;
mod statuses;
mod tags;
mod users;
mod votes;

use crate::answer::Answer;
use crate::call::Call;
use crate::error::{Failure, Methods};
use crate::fields::Input;
use crate::openapi::{
    Endpoint, Refusal, Table, array, created, endpoint, object, page, success, voted,
};
use actix_web::Handler;
use actix_web::web::{self, ServiceConfig};
use hearback_app::{Missing, Precondition};
use hearback_domain::Uuid;
use hearback_domain::id::HelpArticleId;

/// What the paths of all endpoints begin with.
pub(crate) const BASE: &str = "/api/external/v1";

/// Of an article whose identifier stands in the message.
const UNKNOWN_ARTICLE: Refusal =
    Refusal::Refused(Precondition::UnknownRelatedArticle(HelpArticleId(Uuid::nil())));

/// The route table: every endpoint of the contract.
pub(crate) fn table(table: &mut impl Table) {
    use Refusal::{NotFound, Refused};

    table.post(
        "/users/retrieve",
        users::retrieve,
        endpoint(
            "Retrieve a user, by exactly one of user_id and email",
            object::<users::UserView>,
            &[NotFound(Missing::User)],
        ),
    );
    table.post(
        "/feedback-boards/list",
        feedback_boards::list,
        endpoint("List the feedback boards", array::<feedback_boards::BoardView>, &[]),
    );
    table.post(
        "/feedback-boards/retrieve",
        feedback_boards::retrieve,
        endpoint(
            "Retrieve a feedback board",
            object::<feedback_boards::BoardView>,
            &[NotFound(Missing::FeedbackBoard)],
        ),
    );
    table.post(
        "/feedback-posts/retrieve",
        feedback_posts::retrieve,
        endpoint(
            "Retrieve a feedback post",
            object::<feedback_posts::PostView>,
            &[NotFound(Missing::FeedbackPost)],
        ),
    );
    table.post(
        "/feedback-posts/merge",
        feedback_posts::merge,
        endpoint(
            "Merge a feedback post into another one",
            success,
            &[
                NotFound(Missing::MergeSource),
                NotFound(Missing::MergeTarget),
                NotFound(Missing::User),
                Refused(Precondition::CannotMerge),
            ],
        ),
    );
    table.post(
        "/feedback-posts/list",
        feedback_posts::list,
        endpoint("List feedback posts, newest first", page::<feedback_posts::PostView>, &[]),
    );
    table.post(
        "/comments/retrieve",
        comments::retrieve,
        endpoint(
            "Retrieve a comment",
            object::<comments::CommentView>,
            &[NotFound(Missing::Comment)],
        ),
    );
    table.post(
        "/comments/list",
        comments::list,
        endpoint(
            "List the comments on a feedback post, oldest first",
            page::<comments::CommentView>,
            &[],
        ),
    );
    table.post(
        "/votes/toggle",
        votes::toggle,
        endpoint(
            "Cast a vote, or take it back",
            voted,
            &[
                NotFound(Missing::VoteTarget),
                NotFound(Missing::User),
                Refused(Precondition::VotingDisabled),
            ],
        ),
    );
    table.post(
        "/votes/voters",
        votes::voters,
        endpoint("List the voters of a post, oldest vote first", page::<votes::VoterView>, &[]),
    );
    table.post(
        "/categories/list",
        categories::list,
        endpoint("List the categories", array::<categories::CategoryView>, &[]),
    );
    table.post(
        "/categories/retrieve",
        categories::retrieve,
        endpoint(
            "Retrieve a category",
            object::<categories::CategoryView>,
            &[NotFound(Missing::Category)],
        ),
    );
    table.post("/tags/list", tags::list, endpoint("List the tags", array::<tags::TagView>, &[]));
    table.post(
        "/statuses/list",
        statuses::list,
        endpoint("List the statuses", array::<statuses::StatusView>, &[]),
    );
    table.post(
        "/roadmap-boards/list",
        roadmap_boards::list,
        endpoint("List the roadmap boards", array::<roadmap_boards::RoadmapBoardView>, &[]),
    );
    table.post(
        "/labels/list",
        labels::list,
        endpoint("List the labels of the changelog", page::<labels::LabelView>, &[]),
    );
    table.post(
        "/changelog/list",
        changelog::list,
        endpoint(
            "List the entries of the changelog",
            page::<changelog::EntryView>,
            &[Refused(Precondition::UnknownLabel)],
        ),
    );
    table.post(
        "/changelog/create",
        changelog::create,
        endpoint(
            "Create an entry of the changelog: a draft, scheduled, or published",
            created,
            &[NotFound(Missing::User), Refused(Precondition::UnknownLabel)],
        ),
    );
    table.post(
        "/help-collections/list",
        help_collections::list,
        endpoint("List the help collections", page::<help_collections::CollectionView>, &[]),
    );
    table.post(
        "/help-collections/retrieve",
        help_collections::retrieve,
        endpoint(
            "Retrieve a help collection",
            object::<help_collections::CollectionView>,
            &[NotFound(Missing::HelpCollection)],
        ),
    );
    table.post(
        "/help-collections/update",
        help_collections::update,
        endpoint(
            "Change a help collection",
            success,
            &[NotFound(Missing::HelpCollection), Refused(Precondition::SlugTaken)],
        ),
    );
    table.post(
        "/help-categories/list",
        help_categories::list,
        endpoint(
            "List the help categories of a collection",
            page::<help_categories::CategoryView>,
            &[],
        ),
    );
    table.post(
        "/help-categories/retrieve",
        help_categories::retrieve,
        endpoint(
            "Retrieve a help category",
            object::<help_categories::CategoryView>,
            &[NotFound(Missing::HelpCategory)],
        ),
    );
    table.post(
        "/help-categories/create",
        help_categories::create,
        endpoint(
            "Create a help category at the end of a collection",
            created,
            &[NotFound(Missing::HelpCollection)],
        ),
    );
    table.post(
        "/help-categories/update",
        help_categories::update,
        endpoint(
            "Change a help category, or move it to another collection",
            success,
            &[
                NotFound(Missing::HelpCategory),
                NotFound(Missing::HelpCollection),
                Refused(Precondition::SlugTaken),
            ],
        ),
    );
    table.post(
        "/help-articles/search",
        help_articles::search,
        endpoint("Search the help articles", page::<help_articles::HitView>, &[]),
    );
    table.post(
        "/help-articles/list",
        help_articles::list,
        endpoint("List the help articles", page::<help_articles::ListedView>, &[]),
    );
    table.post(
        "/help-articles/retrieve",
        help_articles::retrieve,
        endpoint(
            "Retrieve a help article",
            object::<help_articles::ArticleView>,
            &[NotFound(Missing::HelpArticle)],
        ),
    );
    table.post(
        "/help-articles/create",
        help_articles::create,
        endpoint(
            "Create a help article at the end of exactly one of a category and a collection",
            created,
            &[NotFound(Missing::HelpCategory), NotFound(Missing::HelpCollection), UNKNOWN_ARTICLE],
        ),
    );
}

/// Serves every endpoint.
pub(crate) fn routes(config: &mut ServiceConfig) {
    table(&mut Routes(config));
}

struct Routes<'a>(&'a mut ServiceConfig);

impl Table for Routes<'_> {
    fn post<I, F>(&mut self, path: &'static str, handler: F, _: Endpoint)
    where
        I: Input + 'static,
        F: Handler<(Call<I>,), Output = Answer>,
    {
        let resource = web::resource(format!("{BASE}{path}"))
            .route(web::post().to(handler))
            .default_service(web::to(post_only));
        self.0.service(resource);
    }
}

async fn post_only() -> Answer {
    Err(Failure::Method(Methods::Post))
}
