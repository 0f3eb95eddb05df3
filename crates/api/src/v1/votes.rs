//! `/votes/…`

use crate::answer::{PostTypeCode, Timestamp};
use crate::endpoint::Refusal::{NotFound, Refused};
use crate::endpoint::{Endpoint, handler, read, write};
use crate::fault::Wrong;
use crate::fields::{
    Fields, Noted, any_of, boolean, given, is_one_of, one_of, timestamp, uuid, web_url,
};
use crate::page::Paging;
use crate::v1::people::voter;
use hearback_app::votes::{self, SetVote, SetVotes, ToggleVote};
use hearback_app::{Missing, Precondition};
use hearback_domain::person::Person;
use hearback_domain::record::Kind;
use hearback_domain::vote::{PostType, Target, Vote, VoteDraft, Voter};
use hearback_domain::{ClosedSet, Uuid};
use hearback_ports::VoteFilter;
use hearback_ports::page::ByTime;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

pub(crate) const TABLE: &[Endpoint] = &[
    write("/votes/toggle", "Cast a vote, or take it back", handler!(voted: vote => votes::toggle))
        .refusing(&[
            NotFound(Missing::VoteTarget),
            NotFound(Missing::Record(Kind::User)),
            Refused(Precondition::VotingDisabled),
            Refused(Precondition::UserBlocked),
        ]),
    write("/votes/set", "Set whether a voter has a vote", handler!(set: state => votes::set))
        .refusing(&[
            NotFound(Missing::VoteTarget),
            NotFound(Missing::Record(Kind::User)),
            Refused(Precondition::VotingDisabled),
            Refused(Precondition::UserBlocked),
            Refused(Precondition::EmailTaken),
        ]),
    write(
        "/votes/set-many",
        "Set whether many voters have votes on a post",
        handler!(set_many: states => votes::set_many),
    )
    .refusing(&[
        NotFound(Missing::VoteTarget),
        NotFound(Missing::Record(Kind::User)),
        Refused(Precondition::VotingDisabled),
        Refused(Precondition::UserBlocked),
        Refused(Precondition::EmailTaken),
    ]),
    read(
        "/votes/list",
        "List votes, oldest first",
        handler!(page<VoteView>: filtered => votes::list),
    ),
    read(
        "/votes/voters",
        "List the voters of a post, oldest vote first",
        handler!(page<VoterView>: on_post => votes::voters),
    ),
];

fn vote(fields: &mut Fields<'_>) -> Result<ToggleVote, Noted> {
    let voter = fields.id("user_id");
    let target = target(fields);
    Ok(ToggleVote { voter: voter?, target: target? })
}

fn state(fields: &mut Fields<'_>) -> Result<SetVote, Noted> {
    let target = target(fields);
    let voter = voter(fields);
    let voted = fields.required("voted", boolean);
    let created_by_id = fields.optional("created_by_id", uuid);
    let source_url = fields.optional("source_url", web_url);
    let created_at = fields.past("created_at");
    let draft = VoteDraft {
        created_by_id: created_by_id?.map(Into::into),
        source_url: source_url?.map(String::from),
        created_at: created_at?,
    };
    Ok(SetVote { target: target?, voter: voter?, voted: voted?, draft })
}

fn states(fields: &mut Fields<'_>) -> Result<SetVotes, Noted> {
    let target = target(fields);
    let voted = fields.required("voted", boolean);
    let voters = fields.objects("voters", MOST_VOTERS, one_of_many);
    Ok(SetVotes { target: target?, voted: voted?, voters: voters? })
}

/// The most voters of one request.
const MOST_VOTERS: usize = 500;

fn one_of_many(fields: &mut Fields<'_>) -> Result<(Person, VoteDraft), Noted> {
    let voter = voter(fields);
    let created_at = fields.past("created_at");
    let draft = VoteDraft { created_at: created_at?, ..VoteDraft::default() };
    Ok((voter?, draft))
}

/// At most one of `user_id`, `company_id` and `post_id`. `post_type` belongs to `post_id`.
fn filtered(fields: &mut Fields<'_>) -> Result<(VoteFilter, Paging<ByTime>), Noted> {
    let user_id = fields.optional("user_id", uuid);
    let rule = "user_id, company_id and post_id exclude each other";
    let company_id = fields.excluding("company_id", &["user_id"], rule, uuid);
    let post_id = fields.excluding("post_id", &["user_id", "company_id"], rule, uuid);
    let post_type = fields.optional("post_type", one_of);
    let created_after = fields.optional("created_after", timestamp);
    fields.at_most_one_of(&["user_id", "company_id", "post_id"]);
    fields.rule(|| any_of([is_one_of("post_id", [Value::Null]).build(), given("post_type")]));
    if let (Ok(Some(_)), Ok(None)) = (post_id, post_type) {
        fields.fault("post_type", Wrong::Missing);
    }
    let list = fields.list("oldest");
    let filter = user_id.and_then(|user_id| {
        let (post_id, post_type) = (post_id?, post_type?);
        let target = post_id.zip(post_type).map(|(id, kind)| target_of(id, kind));
        Ok(VoteFilter {
            user_id: user_id.map(Into::into),
            company_id: company_id?.map(Into::into),
            target,
            created_after: created_after?,
            on_active_posts: true,
        })
    });
    let paging = fields.paging(filter.map(|filter| {
        let target = filter.target.map(parts);
        list.filter(filter.user_id.map(Uuid::from))
            .filter(filter.company_id.map(Uuid::from))
            .filter(target.map(|(id, _)| id))
            .filter(target.map(|(_, kind)| kind.code()))
            .filter(filter.created_after.map(|time| time.to_string()))
    }));
    Ok((filter?, paging?))
}

fn parts(target: Target) -> (Uuid, PostType) {
    match target {
        Target::Feedback(id) => (id.0, PostType::Feedback),
        Target::Roadmap(id) => (id.0, PostType::Roadmap),
    }
}

fn target_of(id: Uuid, kind: PostType) -> Target {
    match kind {
        PostType::Feedback => Target::Feedback(id.into()),
        PostType::Roadmap => Target::Roadmap(id.into()),
    }
}

fn on_post(fields: &mut Fields<'_>) -> Result<(Target, Paging<ByTime>), Noted> {
    let target = target(fields);
    let list = fields.list("oldest");
    let paging = fields.paging(target.map(|target| {
        let (id, kind) = parts(target);
        list.filter(Some(id)).filter(Some(kind.code()))
    }));
    Ok((target?, paging?))
}

/// `post_id` and `post_type`. The type says which kind of post the identifier is of.
fn target(fields: &mut Fields<'_>) -> Result<Target, Noted> {
    let id = fields.required("post_id", uuid);
    let kind = fields.required("post_type", one_of);
    kind.and_then(|kind| Ok(target_of(id?, kind)))
}

#[derive(Serialize, ToSchema)]
#[schema(as = Vote)]
pub(crate) struct VoteView<'a> {
    id: Uuid,
    post_id: Uuid,
    #[schema(inline)]
    post_type: PostTypeCode,
    user_id: Uuid,
    created_by_id: Option<Uuid>,
    source_url: Option<&'a str>,
    created_at: Timestamp,
}

impl<'a> From<&'a Vote> for VoteView<'a> {
    fn from(vote: &'a Vote) -> Self {
        let (post_id, post_type) = parts(vote.target);
        Self {
            id: vote.id.0,
            post_id,
            post_type: post_type.into(),
            user_id: vote.user_id.0,
            created_by_id: vote.created_by_id.map(Uuid::from),
            source_url: vote.source_url.as_deref(),
            created_at: vote.created_at.into(),
        }
    }
}

#[derive(Serialize, ToSchema)]
#[schema(as = Voter)]
pub(crate) struct VoterView<'a> {
    user_id: Uuid,
    name: &'a str,
    email: &'a str,
    voted_at: Timestamp,
}

impl<'a> From<&'a Voter> for VoterView<'a> {
    fn from(voter: &'a Voter) -> Self {
        Self {
            user_id: voter.user_id.0,
            name: &voter.name,
            email: &voter.email,
            voted_at: voter.voted_at.into(),
        }
    }
}
