//! The actions: each endpoint that changes something has a form here.

use super::Frame;
use super::record::{Form, find, find_by, yes_or_no};
use crate::desk::{Desk, Refusal};
use crate::forms::{
    Changed, Control, Given, add_faults, body, changed, controls, formatted, renewed, seen_name,
};
use crate::refusals;
use crate::schema::{Action, action};
use crate::sections::{SECTIONS, Section, section_of};
use crate::values::{name_of, text_of};
use crate::words;
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, HeaderValue};
use askama::Template;
use hearback_app::changelog::{self, MOST_READERS};
use hearback_app::rich_text;
use hearback_domain::id::parse_uuid;
use hearback_domain::permission::Permission;
use hearback_web::chrome::{Chrome, key};
use hearback_web::form::{Faults, Fields, with_fields};
use hearback_web::images::attach;
use hearback_web::{Answer, Fault, Request};
use serde_json::{Value, json};

#[derive(Template)]
#[template(path = "act.html")]
struct ActPage {
    f: Frame,
    back: (String, String),
    /// The name of the record that the action is about.
    about: String,
    form: Form,
    /// The numbers of what the action would change, with their words.
    effects: Vec<(String, String)>,
    /// Whether somebody else has changed the record meanwhile.
    is_changed: bool,
    /// The values that somebody else has saved meanwhile, beside those that were typed.
    changes: Vec<Difference>,
    /// The words of an effect that has no number, or an empty text.
    warning: String,
    /// Whether the form asks whether the member is sure.
    asks: bool,
    is_danger: bool,
    /// The typed text as the portal would show it.
    preview: Option<String>,
}

/// A value that somebody else has changed. The member may have changed it, too.
struct Difference {
    label: String,
    theirs: String,
    yours: String,
}

impl Difference {
    /// The words of a change. `control` is that of its field.
    fn new(c: &Chrome, change: &Changed, control: &Control) -> Self {
        let said = |value: &String| {
            let option = control.options.iter().find(|option| option.value == *value);
            option.map_or_else(|| value.clone(), |option| option.text.clone())
        };
        let shown = |values: &[String]| match control.kind {
            "flag" => yes_or_no(c, &json!(!values.is_empty())),
            _ => values.iter().map(said).collect::<Vec<_>>().join("\n"),
        };
        Self {
            label: control.label.clone(),
            theirs: shown(&change.theirs),
            yours: match &change.yours {
                Some(yours) => shown(yours),
                None => c.t("desk-left-alone"),
            },
        }
    }
}

#[derive(Template)]
#[template(path = "result.html")]
struct ResultPage {
    f: Frame,
    back: (String, String),
    facts: Vec<(String, String)>,
}

/// The endpoint of a path, if the dashboard has it as an action.
fn endpoint(desk: &Desk) -> Result<&'static Action, Fault> {
    let path = format!("/{}/{}", desk.request.part("group"), desk.request.part("action"));
    action(&path).filter(|it| it.is_write || it.path == "/webhooks/test").ok_or(Fault::Gone)
}

/// The fields that no control of a form has, and that stay from page to page.
const KEPT: [&str; 3] = ["back", "expected_updated_at", "parent_comment_id"];

/// The words of an endpoint that takes something away.
const DANGERS: [&str; 6] = ["delete", "erase", "merge", "unmerge", "block", "rotate-secret"];

fn is_danger(endpoint: &Action) -> bool {
    DANGERS.contains(&endpoint.parts().1)
}

/// `GET /dashboard/do/{group}/{action}`
pub(crate) async fn ask(request: Request) -> Answer {
    let desk = Desk::enter(request)?;
    let endpoint = endpoint(&desk)?;
    let section = section_of(endpoint.path).ok_or(Fault::Gone)?;
    check(&desk, section)?;
    let query = desk.request.query.clone();
    // A form that was sent without a session waits. Another form of the action is about a record.
    let draft = match query.is_empty() {
        true => desk.request.draft_of(&desk.request.here()).await?,
        false => None,
    };
    let asked = match draft {
        Some(typed) => Asked { typed, is_sent: true, ..Asked::default() },
        None => Asked { typed: query, ..Asked::default() },
    };
    page(&desk, endpoint, asked, StatusCode::OK).await
}

/// Refuses a member whose role may not change the records of a section.
fn check(desk: &Desk, section: &Section) -> Result<(), Fault> {
    match desk.may(Permission::Manage(section.kind)) {
        true => Ok(()),
        false => Err(Fault::Refused(key("desk-not-allowed"))),
    }
}

/// The state of a form.
#[derive(Default)]
struct Asked {
    typed: Fields,
    is_sent: bool,
    faults: Faults,
    effects: Option<Vec<(String, String)>>,
    current: Option<Value>,
}

/// `POST /dashboard/do/{group}/{action}`
pub(crate) async fn act(request: Request) -> Answer {
    if request.visit.oneself().is_err() {
        // The form waits until the member has signed in.
        request.count()?;
        request.form().await?;
    }
    let desk = Desk::enter(request)?;
    let endpoint = endpoint(&desk)?;
    let section = section_of(endpoint.path).ok_or(Fault::Gone)?;
    let mut typed = desk.request.form().await?;
    check(&desk, section)?;
    if endpoint.path == "/comments/create" && typed.given("visibility_code").is_none() {
        // Nobody outside of the team sees a comment unless the member says so.
        typed.set("visibility_code", "internal".to_owned());
    }
    let image = match formatted(endpoint.path) {
        Some((text, _)) => attach(&desk.request, &mut typed, text).await?,
        None => None,
    };
    let c = desk.chrome();
    let mut faults = Faults::default();
    let mut asked = Asked { typed: typed.clone(), is_sent: true, ..Asked::default() };
    if let Some(faults) = image {
        let status = match faults.is_empty() {
            true => StatusCode::OK,
            false => StatusCode::UNPROCESSABLE_ENTITY,
        };
        return page(&desk, endpoint, Asked { faults, ..asked }, status).await;
    }
    // A search for records to choose from changes nothing, and neither does a preview.
    let is_search = typed.has("search-records") || typed.has("preview");
    let body = body(&desk, endpoint, &typed, &mut faults, &c);
    if is_search {
        return page(&desk, endpoint, asked, StatusCode::OK).await;
    }
    if !faults.is_empty() {
        return page(&desk, endpoint, Asked { faults, ..asked }, StatusCode::UNPROCESSABLE_ENTITY)
            .await;
    }
    if is_unguarded(endpoint, &typed) {
        let section = section_for(endpoint, &typed).ok_or(Fault::Gone)?;
        let current = subject_of(&desk, section, endpoint, &typed).await?;
        if !changed(endpoint, &typed, &current).is_empty() {
            asked.current = Some(current);
            return page(&desk, endpoint, asked, StatusCode::CONFLICT).await;
        }
    }
    let is_tried = endpoint.has_effects() && typed.get("confirm") != "yes";
    let body = match body {
        Value::Object(mut members) if is_tried => {
            members.insert("dry_run".to_owned(), true.into());
            Value::Object(members)
        }
        body => body,
    };
    let form = typed.given("nonce").filter(|_| endpoint.parts().1 == "create");
    match desk.call_once(endpoint.path, body, form).await {
        Ok(answer) if is_tried => {
            asked.effects = Some(effects(&c, &answer["effects"]));
            page(&desk, endpoint, asked, StatusCode::OK).await
        }
        Ok(answer) => done(&desk, endpoint, &typed, &answer).await,
        Err(Refusal::Fields(found)) => {
            add_faults(&mut faults, &c, found);
            asked.faults = faults;
            page(&desk, endpoint, asked, StatusCode::UNPROCESSABLE_ENTITY).await
        }
        Err(Refusal::Words(text)) => {
            faults.add("", refusals::words(&c, &text));
            asked.faults = faults;
            page(&desk, endpoint, asked, StatusCode::UNPROCESSABLE_ENTITY).await
        }
        Err(Refusal::Changed) => {
            asked.current = Some(subject_of(&desk, section, endpoint, &typed).await?);
            page(&desk, endpoint, asked, StatusCode::CONFLICT).await
        }
        Err(Refusal::Page(fault)) => Err(fault),
    }
}

/// Whether the dashboard compares the present record with the form before the call. The endpoint
/// compares them itself if the call has `expected_updated_at`.
fn is_unguarded(endpoint: &Action, typed: &Fields) -> bool {
    let is_of_record = endpoint.fields.iter().any(|field| typed.has(&seen_name(field.name)));
    is_of_record && endpoint.is_edit() && typed.given("expected_updated_at").is_none()
}

/// Says beside each choice of mails how many people it reaches.
async fn count_readers(
    desk: &Desk,
    c: &Chrome,
    entry: &str,
    controls: &mut [Control],
) -> Result<(), Fault> {
    let id = parse_uuid(entry).ok_or(Fault::Gone)?.into();
    let caller = desk.caller("changelog/publish");
    let readers = changelog::readers(&desk.request.web.ports, caller, id).await?;
    for control in controls {
        let count = match control.name {
            "notify" => readers.all,
            "notify_voters" => readers.voters,
            _ => continue,
        };
        control.hint = match count < MOST_READERS {
            true => c.n("desk-mails", &count),
            false => c.n("desk-mails-many", &count),
        };
    }
    Ok(())
}

/// The record that an action is about, as it is now.
async fn subject_of(
    desk: &Desk,
    section: &'static Section,
    endpoint: &Action,
    typed: &Fields,
) -> Result<Value, Fault> {
    let key = subject(section, endpoint);
    let id = key.map(|name| typed.get(name)).unwrap_or_default();
    match section.slug {
        _ if key == Some("external_id") => find_by(desk, section, "external_id", id).await,
        "posts" => Ok(desk.call("/feedback-posts/retrieve", json!({"id": id})).await?),
        _ if section.one.is_some() => find(desk, section, id).await,
        _ => Ok(Value::Null),
    }
}

/// The section of an action. Of two that have it, it is the one whose record is named.
fn section_for(endpoint: &Action, typed: &Fields) -> Option<&'static Section> {
    let is_named = |section: &&'static Section| {
        let mut acts = section.acts.iter();
        acts.any(|(path, name)| *path == endpoint.path && typed.given(name).is_some())
    };
    SECTIONS.iter().find(is_named).or_else(|| section_of(endpoint.path))
}

/// The field by which an action names its record.
fn subject(section: &Section, endpoint: &Action) -> Option<&'static str> {
    let named = section.update.iter().chain(&section.restore).chain(section.acts);
    let named = named.into_iter().find(|(path, _)| *path == endpoint.path);
    let of_post = (endpoint.path.starts_with("/feedback-posts/"))
        .then(|| {
            ["merge_post_id", "post_id"].into_iter().find(|name| endpoint.field(name).is_some())
        })
        .flatten();
    named.map(|(_, key)| *key).or(of_post)
}

async fn page(desk: &Desk, endpoint: &'static Action, asked: Asked, status: StatusCode) -> Answer {
    let Asked { mut typed, is_sent, faults, effects, current } = asked;
    let changes = match &current {
        Some(current) => changed(endpoint, &typed, current),
        None => Vec::new(),
    };
    if current.is_some() {
        typed = renewed(&typed, endpoint, &changes);
    }
    let section = section_for(endpoint, &typed).ok_or(Fault::Gone)?;
    let path = format!("/dashboard/{}", section.slug);
    let c = desk.chrome();
    let subject = subject(section, endpoint);
    let mut id = subject.map(|key| typed.get(key).to_owned()).unwrap_or_default();
    let is_upsert = endpoint.parts().1 == "upsert";
    let mut about = String::new();
    let mut present = None;
    if !id.is_empty() {
        let found = subject_of(desk, section, endpoint, &typed).await;
        match found {
            Ok(record) => {
                about = if record.is_null() { id.clone() } else { name_of(&record) };
                present = Some(record);
            }
            // The upsert would make the record, and its identifier is a field like others.
            Err(Fault::Gone) if is_upsert => id.clear(),
            // A record that is deleted can be restored.
            Err(Fault::Gone) => about = id.clone(),
            Err(fault) => return Err(fault),
        }
    }
    let title = match is_upsert && present.is_some() {
        true => words::verb(&c, "update"),
        false => words::act(&c, endpoint.path),
    };
    let f = desk.frame(&path, title).await?;
    // A form that changes a record begins with its values.
    let is_update = endpoint.is_edit() || endpoint.parts().1 == "publish";
    let record = present.as_ref().filter(|record| is_update && record.is_object());
    let mut hidden = vec![("nonce".to_owned(), desk.request.stamp())];
    let mut unasked: Vec<&'static str> = Vec::new();
    if let Some(name) = subject.filter(|_| !id.is_empty()) {
        hidden.push((name.to_owned(), id.clone()));
        unasked.push(name);
    }
    // A form is made of the record as it is now, unless it is shown once more.
    let is_guarded = endpoint.field("expected_updated_at").is_some();
    let made_of = current.as_ref().or(record.filter(|_| is_guarded && !is_sent));
    for name in KEPT {
        let value = match (made_of, name) {
            (Some(record), "expected_updated_at") => text_of(&record["updated_at"]),
            _ => typed.get(name).to_owned(),
        };
        if !value.is_empty() {
            hidden.push((name.to_owned(), value));
        }
    }
    let asks = is_danger(endpoint);
    if effects.is_some() || asks && !endpoint.has_effects() {
        hidden.push(("confirm".to_owned(), "yes".to_owned()));
    }
    let given = Given { typed: &typed, is_sent, record, hidden: &unasked };
    let mut controls = controls(desk, &f.c, endpoint, &given).await?;
    if endpoint.path == "/changelog/publish" && !id.is_empty() {
        count_readers(desk, &f.c, &id, &mut controls).await?;
    }
    let preview = formatted(endpoint.path).filter(|_| typed.has("preview"));
    let differences = changes.iter().filter_map(|change| {
        let control = controls.iter().find(|control| control.name == change.field.name)?;
        Some(Difference::new(&f.c, change, control))
    });
    let differences = differences.collect();
    let mut list = (f.c.url(&path), f.c.t(section.title));
    if section.slug == "posts" && !id.is_empty() {
        list = (f.c.url(&format!("/dashboard/posts/{id}")), about.clone());
    }
    let page = ActPage {
        back: list,
        about,
        form: Form {
            action: f.c.url(&format!("/dashboard/do{}", endpoint.path)),
            submit: match endpoint.parts().1 {
                "create" | "upsert" | "update" => f.c.t("save"),
                _ => f.title.clone(),
            },
            controls,
            hidden,
            faults,
        },
        asks: effects.is_some() || asks && !endpoint.has_effects(),
        effects: effects.unwrap_or_default(),
        is_changed: current.is_some(),
        changes: differences,
        warning: words::warning(&f.c, endpoint.path),
        is_danger: asks,
        preview: preview
            .map(|(field, breaks)| rich_text::shown(&typed.lines(field), breaks, &f.c.base).html),
        f,
    };
    match status {
        StatusCode::OK => desk.request.page(&page),
        status => desk.request.page_with(status, &page),
    }
}

/// The numbers of what an action would change.
fn effects(c: &Chrome, effects: &Value) -> Vec<(String, String)> {
    let Some(members) = effects.as_object() else { return Vec::new() };
    let effect =
        |(name, count): (&String, &Value)| (words::column(c, name), crate::values::count(c, count));
    members.iter().map(effect).collect()
}

/// The page after an action.
async fn done(desk: &Desk, endpoint: &'static Action, typed: &Fields, answer: &Value) -> Answer {
    let section = section_for(endpoint, typed).ok_or(Fault::Gone)?;
    let c = desk.chrome();
    let is_shown = answer.get("signing_secret").is_some() || endpoint.path == "/webhooks/test";
    if is_shown {
        let f = desk
            .frame(&format!("/dashboard/{}", section.slug), words::act(&c, endpoint.path))
            .await?;
        let members = answer.as_object().cloned().unwrap_or_default();
        let facts = members.iter().filter(|(_, value)| !value.is_null());
        let page = ResultPage {
            back: (c.url(&format!("/dashboard/{}", section.slug)), c.t(section.title)),
            facts: facts.map(|(name, value)| (words::column(&c, name), text_of(value))).collect(),
            f,
        };
        let mut response = desk.request.page(&page)?;
        // The page may have a secret.
        response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response.headers_mut().remove(actix_web::http::header::ETAG);
        return Ok(response);
    }
    let own = answer["id"].as_str().or(answer["user_id"].as_str());
    let has_page = section.one.is_some() || section.slug == "posts";
    let list = c.url(&format!("/dashboard/{}", section.slug));
    let key = subject(section, endpoint);
    let to = match (typed.given("back"), own) {
        (Some(back), _) => desk.request.own(back),
        // The form names the record by the identifier of another tool.
        (None, Some(id)) if key == Some("external_id") => format!("{list}/{id}"),
        (None, Some(id)) if has_page && endpoint.parts().1 == "create" => format!("{list}/{id}"),
        _ => {
            let is_there = !["delete", "erase", "merge"].contains(&endpoint.parts().1);
            match key.map(|key| typed.get(key)).filter(|id| !id.is_empty() && is_there && has_page)
            {
                Some(id) => format!("{list}/{id}"),
                None if endpoint.parts().1 == "delete" && section.restore.is_some() => {
                    let id = key.map(|key| typed.get(key)).unwrap_or_default();
                    with_fields(&list, &[("undo", id)])
                }
                None => list,
            }
        }
    };
    Ok(desk.request.see(&saved(&to)))
}

/// An address, whose page says that the change is saved.
pub(crate) fn saved(to: &str) -> String {
    let (path, query) = to.split_once('?').unwrap_or((to, ""));
    let kept = query.split('&').filter(|field| !field.is_empty() && !field.starts_with("done="));
    let fields: Vec<&str> = kept.chain(["done=saved"]).collect();
    format!("{path}?{}", fields.join("&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_keeps_its_fields_and_says_once_that_the_change_is_saved() {
        assert_eq!(saved("/dashboard"), "/dashboard?done=saved");
        assert_eq!(saved("/dashboard?post=1&done=saved&q=a"), "/dashboard?post=1&q=a&done=saved");
    }
}
