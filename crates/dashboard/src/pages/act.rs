//! The actions: each endpoint that changes something has a form here.

use super::Frame;
use super::record::{Form, find};
use crate::desk::{Desk, Refusal};
use crate::forms::{Control, Given, add_faults, body, controls, formatted};
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
use hearback_web::form::{Faults, Fields};
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
    /// The values that somebody else has saved meanwhile, beside those that were typed.
    changes: Vec<Changed>,
    /// Whether the form asks whether the member is sure.
    asks: bool,
    is_danger: bool,
    /// The typed text as the portal would show it.
    preview: Option<String>,
}

/// A value that two people have changed.
struct Changed {
    label: String,
    theirs: String,
    yours: String,
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
    if !desk.may(Permission::Manage(section.kind)) {
        return Err(Fault::Refused(key("desk-not-allowed")));
    }
    let query = desk.request.query.clone();
    let asked = Asked { typed: query, ..Asked::default() };
    page(&desk, endpoint, asked, StatusCode::OK).await
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
    let desk = Desk::enter(request)?;
    let endpoint = endpoint(&desk)?;
    let mut typed = desk.request.form().await?;
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
    let is_tried = endpoint.has_effects() && typed.get("confirm") != "yes";
    let body = match body {
        Value::Object(mut members) if is_tried => {
            members.insert("dry_run".to_owned(), true.into());
            Value::Object(members)
        }
        body => body,
    };
    match desk.call(endpoint.path, body).await {
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
            let section = section_of(endpoint.path).ok_or(Fault::Gone)?;
            asked.current = Some(subject_of(&desk, section, endpoint, &typed).await?);
            page(&desk, endpoint, asked, StatusCode::CONFLICT).await
        }
        Err(Refusal::Page(fault)) => Err(fault),
    }
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
    let id = subject(section, endpoint).map(|name| typed.get(name)).unwrap_or_default();
    match section.slug {
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
    let update = section.update.filter(|(path, _)| *path == endpoint.path);
    let act = section.acts.iter().find(|(path, _)| *path == endpoint.path);
    let of_post = (endpoint.path.starts_with("/feedback-posts/"))
        .then(|| {
            ["merge_post_id", "post_id"].into_iter().find(|name| endpoint.field(name).is_some())
        })
        .flatten();
    update.map(|(_, key)| key).or(act.map(|(_, key)| *key)).or(of_post)
}

async fn page(desk: &Desk, endpoint: &'static Action, asked: Asked, status: StatusCode) -> Answer {
    let Asked { typed, is_sent, faults, effects, current } = asked;
    let section = section_for(endpoint, &typed).ok_or(Fault::Gone)?;
    let path = format!("/dashboard/{}", section.slug);
    let c = desk.chrome();
    let f = desk.frame(&path, words::act(&c, endpoint.path)).await?;
    let subject = subject(section, endpoint);
    let id = subject.map(|key| typed.get(key).to_owned()).unwrap_or_default();
    let mut about = String::new();
    let mut present = None;
    if !id.is_empty() {
        let found = subject_of(desk, section, endpoint, &typed).await;
        match found {
            Ok(record) => {
                about = if record.is_null() { id.clone() } else { name_of(&record) };
                present = Some(record);
            }
            // A record that is deleted can be restored.
            Err(Fault::Gone) => about = id.clone(),
            Err(fault) => return Err(fault),
        }
    }
    // A form that changes a record begins with its values.
    let is_update = ["update", "publish"].contains(&endpoint.parts().1);
    let record = present.as_ref().filter(|record| is_update && record.is_object());
    let mut hidden: Vec<(String, String)> = Vec::new();
    let mut unasked: Vec<&'static str> = Vec::new();
    if let Some(name) = subject.filter(|_| !id.is_empty()) {
        hidden.push((name.to_owned(), id.clone()));
        unasked.push(name);
    }
    for name in ["back", "expected_updated_at"] {
        let value = match (&current, name) {
            (Some(current), "expected_updated_at") => text_of(&current["updated_at"]),
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
    let changes = current.as_ref().map(|current| {
        let changed = controls.iter().filter_map(|control| {
            let theirs = shown(&current[control.name]);
            let same = theirs == control.value || theirs.is_empty() && control.value.is_empty();
            let is_text = matches!(control.kind, "line" | "text" | "number" | "color");
            (!same && is_text).then(|| Changed {
                label: control.label.clone(),
                theirs,
                yours: control.value.clone(),
            })
        });
        changed.collect::<Vec<_>>()
    });
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
        changes: changes.unwrap_or_default(),
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

fn shown(value: &Value) -> String {
    match value {
        Value::Array(values) => values.iter().map(text_of).collect::<Vec<_>>().join("\n"),
        value => text_of(value),
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
    let to = match (typed.given("back"), own) {
        (Some(back), _) => desk.request.own(back),
        (None, Some(id)) if has_page && endpoint.parts().1 == "create" => format!("{list}/{id}"),
        _ => {
            let key = subject(section, endpoint);
            let is_there = !["delete", "erase", "merge"].contains(&endpoint.parts().1);
            match key.map(|key| typed.get(key)).filter(|id| !id.is_empty() && is_there && has_page)
            {
                Some(id) => format!("{list}/{id}"),
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
