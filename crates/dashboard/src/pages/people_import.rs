//! Imports of people from a file: the file, what it would change, and what it changed.

use super::Frame;
use super::list::changes;
use crate::desk::{Desk, Refusal, UPSERT, answer};
use crate::people_file::{Line, PeopleFile, Unread, read, unix};
use crate::schema::action;
use crate::values::{moment, name_of, text_of};
use crate::{refusals, words};
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, ETAG, HeaderValue, REFRESH};
use askama::Template;
use futures_util::stream::{self, StreamExt};
use hearback_api::Api;
use hearback_app::Caller;
use hearback_app::people_import::{
    self, ImportState, Imported, MOST_NAMED, MOST_PEOPLE, PeopleImport,
};
use hearback_domain::id::{AuditEntryId, OrganizationId, parse_uuid};
use hearback_domain::permission::Permission;
use hearback_domain::record::Kind;
use hearback_ports::deadline;
use hearback_web::chrome::{Chrome, key};
use hearback_web::form::{Faults, Fields};
use hearback_web::{Answer, Fault, Request};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;

#[derive(Template)]
#[template(path = "people_import.html")]
struct ImportPage {
    f: Frame,
    faults: Faults,
    /// The changes that the file would make.
    preview: Option<Preview>,
    /// The imports of before.
    imports: Vec<Past>,
}

/// The changes that a file would make.
struct Preview {
    /// The numbers of people, in words: new ones, others who change, and those who stay.
    counts: Vec<String>,
    left_out: String,
    /// The first changes.
    rows: Vec<Row>,
    /// How many changes are not shown, in words. Empty if all are.
    more: String,
    /// The first faults.
    wrong: Vec<Row>,
    more_wrong: String,
    /// The words of the button. Empty if there is nothing to do.
    submit: String,
    text: String,
}

/// A line of a file.
struct Row {
    line: String,
    name: String,
    /// The changes or the faults, a line for each.
    text: String,
}

/// An import of before.
struct Past {
    href: String,
    at: String,
    text: String,
}

/// The longest file, in bytes.
const LONGEST: usize = 1024 * 1024;
/// The number of lines that are looked up at once.
const AT_ONCE: usize = 4;

/// `GET /dashboard/people/import`
pub(crate) async fn form(request: Request) -> Answer {
    let desk = enter(request)?;
    page(&desk, None, Faults::default()).await
}

fn enter(request: Request) -> Result<Desk, Fault> {
    let desk = Desk::enter(request)?;
    // A person may come with a company.
    match desk.may(Permission::Manage(Kind::User)) && desk.may(Permission::Manage(Kind::Company)) {
        true => Ok(desk),
        false => Err(Fault::Refused(key("desk-not-allowed"))),
    }
}

async fn page(desk: &Desk, preview: Option<Preview>, faults: Faults) -> Answer {
    let f = desk.frame("/dashboard/people", desk.request.language.text("people-import")).await?;
    let imports = people_import::list(&desk.request.web.ports, desk.caller(LIST)).await?;
    let past = |import: &PeopleImport| Past {
        href: f.c.url(&format!("/dashboard/people/imports/{}", import.id)),
        at: moment(&import.at.to_string()),
        text: f.c.n("people-import-of", &number(import.rows)),
    };
    let status = if faults.is_empty() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    let imports = imports.iter().map(past).collect();
    private(desk.request.page_with(status, &ImportPage { imports, f, faults, preview }))
}

/// The action of the pages that show imports.
const LIST: &str = "people/imports";

/// A page with the data of people, which no cache keeps.
fn private(answer: Answer) -> Answer {
    let mut response = answer?;
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response.headers_mut().remove(ETAG);
    Ok(response)
}

fn number(number: impl TryInto<i64>) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}

/// `POST /dashboard/people/import`: shows what a file would change, or begins to import it.
pub(crate) async fn import(request: Request) -> Answer {
    let desk = enter(request)?;
    let typed = desk.request.form().await?;
    let mut faults = Faults::default();
    let read = match text(&typed) {
        Ok(text) => read(&text).map(|file| (file, text)).map_err(|why| unread(&desk, why)),
        Err(why) => Err(desk.request.language.text(why)),
    };
    let (file, text) = match read {
        Ok(read) => read,
        Err(words) => {
            faults.add("file", words);
            return page(&desk, None, faults).await;
        }
    };
    if typed.get("act") != "import" {
        let preview = preview(&desk, file, text).await?;
        return page(&desk, Some(preview), faults).await;
    }
    let ports = &desk.request.web.ports;
    let rows = file.people.len() as u64;
    let Some(id) = people_import::begin(ports, desk.caller(LIST), rows).await? else {
        faults.add("file", desk.request.language.text(key("people-busy")));
        return page(&desk, None, faults).await;
    };
    let (ports, caller) = (ports.clone(), desk.caller(UPSERT).importing(id));
    let (api, organization) = (Arc::clone(&desk.dashboard.api), desk.request.visit.organization());
    desk.dashboard.runtime.spawn(async move {
        let imported = all(&api, (organization, caller), file.people).await;
        if let Err(error) = people_import::end(&ports, caller, id, imported).await {
            let error = &error as &dyn std::error::Error;
            tracing::error!(error, "the end of an import of people is not noted");
        }
    });
    Ok(desk.request.see(&format!("{}/dashboard/people/imports/{id}", desk.request.base)))
}

/// The text of the file, or the one that was pasted.
fn text(typed: &Fields) -> Result<String, &'static str> {
    let text = match &typed.file {
        Some(file) => {
            let content = file.content.as_deref().ok_or(key("people-too-large"))?;
            std::str::from_utf8(content).map_err(|_| key("people-no-text"))?
        }
        None => typed.get("text"),
    };
    let text = unix(&text.replace('\0', ""));
    match text.trim().is_empty() {
        true => Err(key("people-no-file")),
        false if text.len() > LONGEST => Err(key("people-too-large")),
        false => Ok(text),
    }
}

fn unread(desk: &Desk, why: Unread) -> String {
    let language = desk.request.language;
    match why {
        Unread::Empty => language.text(key("people-empty")),
        Unread::NoHandle => language.text(key("people-no-handle")),
        Unread::TooLong => language.n("people-too-many", number(MOST_PEOPLE)),
        Unread::Ragged(line) => language.n("people-ragged", number(line)),
    }
}

/// Looks up what each line of a file would change.
async fn preview(desk: &Desk, file: PeopleFile, text: String) -> Result<Preview, Fault> {
    let c = &desk.chrome();
    let found = stream::iter(&file.people).map(|line| async move {
        let found = match line.same_as {
            Some(_) => Ok(Vec::new()),
            None => desk.preview_upsert(&line.body).await,
        };
        (line, found)
    });
    let found: Vec<_> = found.buffered(AT_ONCE).collect().await;
    // Each line had the time of a request, and the page has it now.
    deadline::renew();
    let (mut rows, mut wrong) = (Vec::new(), Vec::new());
    let (mut made, mut stays) = (0, 0);
    for (line, found) in found {
        let row = |text: String| Row {
            line: c.number(&number(line.number)),
            name: handle(&line.body),
            text,
        };
        if let Some(same) = line.same_as {
            wrong.push(row(c.n("people-same", &number(same))));
            continue;
        }
        match found {
            Ok(steps) if steps.is_empty() => stays += 1,
            Ok(steps) => {
                // A person who is linked again is new to the organization.
                let is_new = |step: &Value| {
                    let before = &step["before"];
                    step["kind"] == "user" && (before.is_null() || before["is_active"] == false)
                };
                made += i64::from(steps.iter().any(is_new));
                rows.push(row(shown(desk, c, &steps)));
            }
            Err(refusal) => {
                let faults = said(refusal)?;
                let lines = faults.iter().map(|(field, fault)| fault_words(c, field, fault));
                wrong.push(row(lines.collect::<Vec<_>>().join("\n")));
            }
        }
    }
    let (changing, failing) = (number(rows.len()), number(wrong.len()));
    let rest = |all: i64| match all - number(MOST_NAMED) {
        more if more > 0 => c.n("people-more", &more),
        _ => String::new(),
    };
    let changed = changing - made;
    let counts = [
        (made, c.n("people-new", &made)),
        (changed, c.n("people-changing", &changed)),
        (stays, c.n("people-staying", &stays)),
        (failing, c.n("people-wrong", &failing)),
    ];
    rows.truncate(MOST_NAMED);
    wrong.truncate(MOST_NAMED);
    Ok(Preview {
        counts: counts.into_iter().filter(|it| it.0 > 0).map(|it| it.1).collect(),
        left_out: file.left_out.join(", "),
        rows,
        more: rest(changing),
        wrong,
        more_wrong: rest(failing),
        submit: if changing > 0 { c.n("people-import-do", &changing) } else { String::new() },
        text,
    })
}

/// The address or the identifier of a line.
fn handle(body: &Value) -> String {
    let of = ["email", "external_id"].map(|name| text_of(&body[name]));
    of.into_iter().find(|it| !it.is_empty()).unwrap_or_default()
}

/// The changes of the steps of a line, in words.
fn shown(desk: &Desk, c: &Chrome, steps: &[Value]) -> String {
    let step = |step: &Value| {
        let text = match step["before"].is_null() {
            true => match step["kind"] == "user" {
                true => c.t("people-is-new"),
                false => c.x("people-new-company", "name", text_of(&step["after"]["name"])),
            },
            false => changes(desk, c, step),
        };
        (!text.is_empty()).then_some(text)
    };
    steps.iter().filter_map(step).collect::<Vec<_>>().join("\n")
}

/// The faults of a refusal, each with its field.
fn said(refusal: Refusal) -> Result<Vec<(String, String)>, Fault> {
    Ok(match refusal {
        Refusal::Fields(faults) => {
            faults.into_iter().map(|(field, fault)| (field.to_owned(), fault)).collect()
        }
        Refusal::Words(words) => vec![(String::new(), words)],
        refusal => return Err(refusal.into()),
    })
}

fn fault_words(c: &Chrome, field: &str, fault: &str) -> String {
    if field == SAME {
        return c.n("people-same", &fault.parse().unwrap_or_default());
    }
    let fault = match fault {
        OURS => c.t("data-broken"),
        fault => refusals::words(c, fault),
    };
    match field.is_empty() {
        true => fault,
        false => format!("{}: {fault}", words::column(c, field)),
    }
}

/// The field of a fault that is the number of an earlier line about the same person.
const SAME: &str = "same_as";
/// The fault of a line that failed for a fault of ours.
const OURS: &str = "the server failed";

/// Imports the people of a file, one by one.
async fn all(api: &Arc<Api>, caller: (OrganizationId, Caller), people: Vec<Line>) -> Imported {
    let mut imported = Imported::default();
    for line in people {
        let done = match line.same_as {
            Some(same) => Err(vec![(SAME.to_owned(), same.to_string())]),
            None => one(api, caller, &line.body).await.map_err(|refusal| {
                // A fault of ours is in the log.
                said(refusal).unwrap_or_else(|_| vec![(String::new(), OURS.to_owned())])
            }),
        };
        match done {
            Ok(None) => imported.unchanged += 1,
            Ok(Some(true)) => imported.created += 1,
            Ok(Some(false)) => imported.changed += 1,
            Err(faults) => {
                imported.left_out += 1;
                let faults = faults.into_iter().map(|(field, fault)| (line.number, field, fault));
                imported.faults.extend(faults);
            }
        }
    }
    imported
}

/// Makes or changes a person. Returns whether the person is new, or `None` if nothing changes. Tries
/// again while the store does not answer.
async fn one(
    api: &Arc<Api>,
    caller: (OrganizationId, Caller),
    body: &Value,
) -> Result<Option<bool>, Refusal> {
    let endpoint = action(UPSERT).ok_or(Refusal::Page(Fault::Gone))?;
    let body = body.to_string();
    let mut left = TRIES;
    loop {
        left -= 1;
        let mut reply = api.preview_upsert(caller, body.as_bytes()).await;
        if reply.status == 200 {
            if answer(endpoint, &reply)? == json!([]) {
                return Ok(None);
            }
            reply = api.call_as(UPSERT, caller, body.as_bytes(), None).await;
        }
        if reply.status != UNAVAILABLE || left == 0 {
            return Ok(Some(answer(endpoint, &reply)?["created"] == true));
        }
        sleep(PAUSE).await;
    }
}

/// The status of a call while the store does not answer.
const UNAVAILABLE: u16 = 503;
/// The number of times that a line is tried.
const TRIES: u32 = 20;
/// The time between two tries.
const PAUSE: Duration = Duration::from_secs(1);

#[derive(Template)]
#[template(path = "people_imported.html")]
struct ImportedPage {
    f: Frame,
    here: String,
    /// The state of the import, and of its undoing, in words.
    states: Vec<String>,
    is_running: bool,
    /// The lines that were refused, each with its faults.
    wrong: Vec<(String, String)>,
    /// The records that stay as they are, each with its address.
    kept: Vec<(String, String)>,
    can_undo: bool,
}

/// `GET /dashboard/people/imports/{id}`
pub(crate) async fn show(request: Request) -> Answer {
    let desk = enter(request)?;
    let import = find(&desk).await?;
    let f = desk.frame("/dashboard/people", desk.request.language.text("people-import")).await?;
    let c = &f.c;
    let mut states = vec![format!(
        "{} · {}",
        moment(&import.at.to_string()),
        c.n("people-import-of", &number(import.rows))
    )];
    let mut wrong = Vec::new();
    if let Some(Imported { created, changed, unchanged, left_out, faults }) = &import.end {
        let [created, changed, unchanged] = [*created, *changed, *unchanged].map(number);
        let left_out = number(*left_out);
        let counts = [
            (created, c.n("people-made", &created)),
            (changed, c.n("people-changed", &changed)),
            (unchanged, c.n("people-stayed", &unchanged)),
            (left_out, c.n("people-wrong", &left_out)),
        ];
        states.extend(counts.into_iter().filter(|it| it.0 > 0).map(|it| it.1));
        wrong.extend(faults.iter().map(|(line, field, fault)| {
            let line = c.x("data-line", "number", c.number(&number(*line)));
            (line, fault_words(c, field, fault))
        }));
    }
    states.extend(match import.state {
        ImportState::Importing => Some(c.t("people-importing")),
        ImportState::Interrupted => Some(c.t("people-interrupted")),
        ImportState::Undoing => Some(c.t("people-undoing")),
        ImportState::UndoInterrupted => Some(c.t("people-undo-interrupted")),
        ImportState::Imported | ImportState::Undone => None,
    });
    let mut kept = Vec::new();
    if let Some(undone) = &import.undone {
        states.push(c.n("people-undone", &number(undone.undone)));
        if undone.kept > 0 {
            states.push(c.n("people-kept-count", &number(undone.kept)));
        }
        for (section, path, field, ids) in [
            ("people", "/users/retrieve", "user_id", &undone.kept_users),
            ("companies", "/companies/retrieve", "id", &undone.kept_companies),
        ] {
            for id in ids {
                let name = match desk.call(path, json!({ field: id })).await.map_err(Fault::from) {
                    Ok(record) => name_of(&record),
                    // The record is gone since.
                    Err(Fault::Gone) => continue,
                    Err(fault) => return Err(fault),
                };
                kept.push((c.url(&format!("/dashboard/{section}/{id}")), name));
            }
        }
    }
    let is_running = import.state.is_running();
    let page = ImportedPage {
        here: c.url(&format!("/dashboard/people/imports/{}", import.id)),
        states,
        is_running,
        wrong,
        kept,
        can_undo: import.state.can_be_undone(),
        f,
    };
    let mut response = private(desk.request.page(&page))?;
    if is_running {
        response.headers_mut().insert(REFRESH, HeaderValue::from_static("2"));
    }
    Ok(response)
}

async fn find(desk: &Desk) -> Result<PeopleImport, Fault> {
    let id: AuditEntryId = parse_uuid(desk.request.part("id")).ok_or(Fault::Gone)?.into();
    let import = people_import::find(&desk.request.web.ports, desk.caller(LIST), id).await?;
    import.ok_or(Fault::Gone)
}

/// `POST /dashboard/people/imports/{id}`: begins to undo an import.
pub(crate) async fn undo(request: Request) -> Answer {
    let desk = enter(request)?;
    desk.request.form().await?;
    let import = find(&desk).await?;
    let web = &desk.request.web;
    let here = format!("{}/dashboard/people/imports/{}", desk.request.base, import.id);
    if people_import::begin_undo(&web.ports, desk.caller(LIST), import.id).await?.is_none() {
        // The page says what is under way, or done.
        return Ok(desk.request.see(&here));
    }
    let (ports, vault, caller) = (web.ports.clone(), Arc::clone(&web.vault), desk.caller(LIST));
    desk.dashboard.runtime.spawn(async move {
        if let Err(error) = people_import::undo(&ports, &vault, caller, &import).await {
            let error = &error as &dyn std::error::Error;
            tracing::error!(error, "an import of people is not undone");
        }
    });
    Ok(desk.request.see(&here))
}
