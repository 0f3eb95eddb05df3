//! A post as the team works on it.

use super::Frame;
use super::inbox::spend;
use crate::desk::{Desk, items};
use crate::forms::{Control, Given, controls};
use crate::schema::action;
use crate::values::{count, moment, name_of, text_of};
use crate::words;
use askama::Template;
use hearback_app::rich_text::{self, Breaks};
use hearback_domain::permission::Permission;
use hearback_domain::record::Kind;
use hearback_web::chrome::{Chrome, hue, initial};
use hearback_web::form::with_fields;
use hearback_web::{Answer, Fault, Request};
use serde_json::{Value, json};
use std::collections::HashMap;

#[derive(Template)]
#[template(path = "post.html")]
struct PostPage {
    f: Frame,
    opened: Opened,
}

/// A post with all that its page shows.
pub(crate) struct Opened {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) html: String,
    pub(crate) board: String,
    pub(crate) status: String,
    pub(crate) status_id: String,
    pub(crate) created: String,
    pub(crate) author: Person,
    pub(crate) votes: String,
    pub(crate) spend: String,
    /// The address in the portal.
    pub(crate) public: String,
    pub(crate) back: String,
    pub(crate) may: bool,
    pub(crate) moderation: String,
    pub(crate) is_pending: bool,
    /// The controls of the status, and those of the other values.
    pub(crate) status_form: Vec<Control>,
    pub(crate) edit_form: Vec<Control>,
    pub(crate) updated_at: String,
    pub(crate) comments: Vec<Said>,
    /// The name of the form of a comment.
    pub(crate) nonce: String,
    /// The addresses of the lists of all comments and votes.
    pub(crate) all_comments: String,
    pub(crate) all_votes: String,
    pub(crate) voters: Vec<Person>,
    pub(crate) activity: Vec<Happened>,
    pub(crate) similar: Vec<(String, String, String)>,
    pub(crate) into: Option<(String, String)>,
    pub(crate) acts: Vec<(String, String)>,
    /// The address of the form of each action.
    pub(crate) base: String,
}

/// A person.
#[derive(Clone, Default)]
pub(crate) struct Person {
    pub(crate) name: String,
    pub(crate) href: String,
    pub(crate) company: String,
    pub(crate) initial: String,
    pub(crate) hue: u8,
}

/// A comment.
pub(crate) struct Said {
    pub(crate) id: String,
    pub(crate) author: Person,
    pub(crate) html: String,
    pub(crate) at: String,
    pub(crate) is_internal: bool,
    pub(crate) is_pinned: bool,
    pub(crate) is_pending: bool,
    /// The address of the form of a reply.
    pub(crate) reply: String,
}

/// An entry of the activity.
pub(crate) struct Happened {
    pub(crate) person: Person,
    pub(crate) words: String,
    pub(crate) at: String,
}

/// `/dashboard/posts/{id}`
pub(crate) async fn show(request: Request) -> Answer {
    let desk = Desk::enter(request)?;
    let id = desk.request.part("id").to_owned();
    let c = desk.chrome();
    let back = c.url(&format!("/dashboard/posts/{id}"));
    let opened = open(&desk, &c, &id, &back).await?;
    let f = desk.frame("/dashboard", opened.title.clone()).await?;
    desk.request.page(&PostPage { f, opened })
}

/// The post with an identifier. The forms lead back to `back`.
pub(crate) async fn open(desk: &Desk, c: &Chrome, id: &str, back: &str) -> Result<Opened, Fault> {
    let post = desk.call("/feedback-posts/retrieve", json!({"id": id})).await?;
    let of_post = json!({"feedback_post_id": id, "limit": 50});
    let comments = items(desk.call("/comments/list", of_post).await?);
    let of_post = json!({"post_id": id, "post_type": "feedback", "limit": 12});
    let voters = items(desk.call("/votes/voters", of_post).await?);
    let activity = json!({"post_id": id, "limit": 20});
    let activity = items(desk.call("/feedback-posts/activity", activity).await?);
    let similar = json!({"post_id": id, "limit": 5});
    let similar = items(desk.call("/feedback-posts/similar", similar).await?);
    let mut people = People { desk, c, known: HashMap::new() };
    let may = desk.may(Permission::Manage(Kind::FeedbackPost));

    let frame = &desk.request.visit.frame;
    let board = frame.boards.iter().find(|it| post["board_id"] == it.id.to_string());
    let status_id = text_of(&post["status_id"]);
    let status = frame.statuses.iter().find(|it| it.id.to_string() == status_id);
    let moderation = text_of(&post["moderation_status_code"]);
    let is_merged = !post["merged_into_id"].is_null();
    let (mut status_form, mut edit_form) = (Vec::new(), Vec::new());
    if may && !is_merged {
        let typed = &desk.request.query;
        let given = |hidden| Given { typed, is_sent: false, record: Some(&post), hidden };
        if let Some(endpoint) = action("/feedback-posts/change-status") {
            status_form = controls(desk, c, endpoint, &given(&["post_id", "eta"])).await?;
            // Nobody hears of a change unless the member wants it.
            for control in status_form.iter_mut().filter(|it| it.name == "notify") {
                control.value = "yes".to_owned();
            }
        }
        if let Some(endpoint) = action("/feedback-posts/update") {
            let hidden = &["post_id", "status_id", "moderation_status_code"];
            edit_form = controls(desk, c, endpoint, &given(hidden)).await?;
        }
    }
    let mut said = Vec::new();
    for comment in &comments {
        let html = rich_text::shown(&text_of(&comment["content"]), Breaks::Hard, &c.url(""));
        said.push(Said {
            id: text_of(&comment["id"]),
            author: people.named(&comment["author_id"]).await?,
            html: html.html,
            at: moment(&text_of(&comment["created_at"])),
            is_internal: comment["visibility_code"] == "internal",
            is_pinned: comment["is_pinned"] == true,
            is_pending: comment["moderation_status_code"] == "pending",
            reply: {
                let parent = text_of(&comment["id"]);
                let fields =
                    [("feedback_post_id", id), ("parent_comment_id", &parent), ("back", back)];
                with_fields(&c.url("/dashboard/do/comments/create"), &fields)
            },
        });
    }
    let mut happened = Vec::new();
    for entry in &activity {
        happened.push(Happened {
            person: people.named(&entry["actor_id"]).await?,
            words: words::happening(c, desk, entry),
            at: moment(&text_of(&entry["created_at"])),
        });
    }
    let mut faces = Vec::new();
    for voter in &voters {
        faces.push(people.named(&voter["user_id"]).await?);
    }
    let author = people.named(&post["author_id"]).await?;
    let mut into = None;
    if let Some(target) = post["merged_into_id"].as_str() {
        let other = desk.call("/feedback-posts/retrieve", json!({"id": target})).await?;
        into = Some((c.url(&format!("/dashboard/posts/{target}")), name_of(&other)));
    }
    let address = |path: &str| c.url(&format!("/dashboard/do{path}"));
    let act = |path: &str, fields: &[(&str, &str)]| {
        (with_fields(&address(path), fields), words::act(c, path))
    };
    let acts = match (may, is_merged) {
        (false, _) => vec![],
        (true, true) => vec![act("/feedback-posts/unmerge", &[("post_id", id), ("back", back)])],
        (true, false) => vec![
            act("/feedback-posts/merge", &[("merge_post_id", id)]),
            act("/votes/set", &[("post_id", id), ("post_type", "feedback"), ("back", back)]),
            act("/feedback-posts/subscribe", &[("post_id", id), ("back", back)]),
            act("/feedback-posts/unsubscribe", &[("post_id", id), ("back", back)]),
            (
                with_fields(
                    &address("/roadmap-posts/create"),
                    &[("feedback_post_ids", id), ("title", &name_of(&post))],
                ),
                c.t("desk-plan"),
            ),
            act("/feedback-posts/delete", &[("post_id", id)]),
        ],
    };
    let link = |record: &Value| {
        (c.url(&format!("/dashboard/posts/{}", text_of(&record["id"]))), name_of(record))
    };
    let list = |path: &str, fields: &[(&str, &str)]| with_fields(&c.url(path), fields);
    let slug = text_of(&post["slug"]);
    Ok(Opened {
        id: id.to_owned(),
        title: name_of(&post),
        html: rich_text::shown(&text_of(&post["description"]), Breaks::Hard, &c.url("")).html,
        board: board.map_or_else(String::new, |it| it.name.clone()),
        status: status.map_or_else(String::new, |it| it.name.clone()),
        status_id,
        created: moment(&text_of(&post["created_at"])),
        author,
        votes: c.n("desk-votes-count", &post["vote_count"].as_i64().unwrap_or_default()),
        spend: spend(c, &post["monthly_spend"]),
        public: c.url(&format!("/p/{slug}")),
        back: back.to_owned(),
        may,
        is_pending: moderation == "pending",
        moderation: words::code(c, &moderation),
        status_form,
        edit_form,
        updated_at: text_of(&post["updated_at"]),
        nonce: desk.request.stamp(),
        comments: said,
        all_comments: list("/dashboard/comments", &[("feedback_post_id", id)]),
        all_votes: list("/dashboard/votes", &[("post_id", id), ("post_type", "feedback")]),
        voters: faces,
        activity: happened,
        similar: similar
            .iter()
            .map(|it| {
                let (href, title) = link(it);
                (href, title, count(c, &it["vote_count"]))
            })
            .collect(),
        into,
        acts,
        base: c.url("/dashboard/do"),
    })
}

/// The people whom a page names, each looked up once.
struct People<'a> {
    desk: &'a Desk,
    c: &'a Chrome,
    known: HashMap<String, Person>,
}

impl People<'_> {
    async fn named(&mut self, id: &Value) -> Result<Person, Fault> {
        let Some(id) = id.as_str() else { return Ok(self.nobody()) };
        if let Some(person) = self.known.get(id) {
            return Ok(person.clone());
        }
        let found = self.desk.call("/users/retrieve", json!({"user_id": id})).await;
        let person = match found.map_err(Fault::from) {
            Ok(user) => self.of(&user),
            Err(Fault::Gone) => self.nobody(),
            Err(fault) => return Err(fault),
        };
        self.known.insert(id.to_owned(), person.clone());
        Ok(person)
    }

    fn of(&self, user: &Value) -> Person {
        let id = text_of(&user["user_id"]);
        let name = name_of(user);
        Person {
            href: self.c.url(&format!("/dashboard/people/{id}")),
            company: text_of(&user["company_name"]),
            initial: initial(&name),
            hue: hue(id.as_bytes()),
            name,
        }
    }

    fn nobody(&self) -> Person {
        Person { name: self.c.t("someone"), initial: "?".to_owned(), ..Person::default() }
    }
}
