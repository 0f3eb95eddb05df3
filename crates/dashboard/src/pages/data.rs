//! Import and export of the organization in the portable format.

use super::Frame;
use crate::Dashboard;
use crate::desk::Desk;
use crate::refusals;
use crate::transfers::{Failed, Import, ImportTurn, State, Wrong};
use actix_web::HttpResponse;
use actix_web::body::BodyStream;
use actix_web::http::StatusCode;
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, ETAG, HeaderValue, REFRESH,
};
use actix_web::web::Bytes;
use askama::Template;
use futures_util::stream;
use hearback_app::portable::{self, Export, ExportError, ImportError, Secrets};
use hearback_domain::ClosedSet;
use hearback_domain::permission::Permission;
use hearback_http::{DoorError, Failure};
use hearback_ports::import::Ending;
use hearback_web::chrome::{Chrome, key};
use hearback_web::form::Faults;
use hearback_web::upload::Upload;
use hearback_web::visit::protect;
use hearback_web::{Answer, Fault, Request};
use std::fs::{DirBuilder, File};
use std::io::{self, Seek, Write};
use std::os::unix::fs::DirBuilderExt;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, timeout};

#[derive(Template)]
#[template(path = "data.html")]
struct DataPage {
    f: Frame,
    may_export_secrets: bool,
    /// Whether the organization is empty enough for an import. `false` while one runs.
    has_room: bool,
    /// Whether an import of the organization runs in this process.
    is_running: bool,
    last: Option<Shown>,
    /// Whether an import was begun of which this process knows nothing.
    is_elsewhere: bool,
    faults: Faults,
}

/// The last import, as the page shows it.
#[derive(Default)]
struct Shown {
    title: String,
    text: String,
    /// The bytes that are read, and those of the file, while the import runs.
    running: Option<(u64, u64)>,
    is_failed: bool,
    /// The lines with a fault: each in words, with the member, the words of the fault, and the fault
    /// as the command line says it, with the values that the words leave out.
    wrong: Vec<(String, String, String, String)>,
    /// The number of records of each kind.
    kinds: Vec<(&'static str, String)>,
}

/// `GET /dashboard/data`
pub(crate) async fn show(request: Request) -> Answer {
    let desk = enter(request)?;
    page(&desk, Faults::default(), StatusCode::OK).await
}

fn enter(request: Request) -> Result<Desk, Fault> {
    let desk = Desk::enter(request)?;
    match desk.may(Permission::Import) && desk.may(Permission::Export) {
        true => Ok(desk),
        false => Err(Fault::Gone),
    }
}

async fn page(desk: &Desk, faults: Faults, status: StatusCode) -> Answer {
    let f = desk.frame("/dashboard/data", desk.request.language.text("desk-data")).await?;
    let organization = desk.request.visit.organization();
    let import = desk.dashboard.transfers.import_of(organization);
    let is_running = import.as_ref().is_some_and(|it| matches!(it.state, State::Running { .. }));
    let ports = &desk.request.web.ports;
    let page = DataPage {
        may_export_secrets: desk.may(Permission::ExportSecrets),
        // An import of the embedded store has the one writer.
        has_room: !is_running
            && portable::has_room(ports, desk.caller("organization/import")).await?,
        is_running,
        is_elsewhere: import.is_none() && desk.request.query.get("import") == "begun",
        last: import.map(|import| shown(&f.c, import)),
        faults,
        f,
    };
    let mut response = desk.request.page_with(status, &page)?;
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response.headers_mut().remove(ETAG);
    if is_running {
        response.headers_mut().insert(REFRESH, HeaderValue::from_static("2"));
    }
    Ok(response)
}

fn shown(c: &Chrome, Import { ending, state }: Import) -> Shown {
    let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let failed =
        |text| Shown { title: c.t("data-failed"), text, is_failed: true, ..Shown::default() };
    match state {
        State::Coming => Shown { title: c.t("data-coming"), ..Shown::default() },
        State::Running { done, bytes } => Shown {
            title: match ending {
                Ending::Commit => c.t("data-running"),
                Ending::Discard => c.t("data-checking"),
            },
            text: c.n("data-records", &number(done.records)),
            running: Some((done.bytes.min(bytes), bytes)),
            ..Shown::default()
        },
        State::Done(summary) => {
            let total = summary.records.iter().map(|(_, count)| count).sum();
            let kind = |(kind, count): &(hearback_ports::Kind, u64)| {
                (kind.code(), c.number(&number(*count)))
            };
            Shown {
                title: match ending {
                    Ending::Commit => c.t("data-imported"),
                    Ending::Discard => c.t("data-checked"),
                },
                text: c.n("data-records", &number(total)),
                kinds: summary.records.iter().map(kind).collect(),
                ..Shown::default()
            }
        }
        State::Failed(Failed::Lines(faults)) => {
            let line = |wrong: Wrong| {
                let line = c.x("data-line", "number", c.number(&number(wrong.number)));
                let words = refusals::words_of_line(c.language, &wrong.fault);
                (line, wrong.field, words, wrong.fault)
            };
            Shown { wrong: faults.into_iter().map(line).collect(), ..failed(String::new()) }
        }
        State::Failed(Failed::Filled) => failed(c.t("data-filled")),
        State::Failed(Failed::Busy) => failed(c.t("data-store-busy")),
        State::Failed(Failed::Broken) => failed(c.t("data-broken")),
    }
}

/// The page, because another transfer is under way.
async fn busy(desk: &Desk, field: &'static str) -> Answer {
    let mut faults = Faults::default();
    faults.add(field, desk.request.language.text(key("data-busy")));
    page(desk, faults, StatusCode::CONFLICT).await
}

/// `POST /dashboard/data`: the organization as a file, written as the browser takes it.
pub(crate) async fn export(request: Request) -> Answer {
    let desk = enter(request)?;
    let typed = desk.request.form().await?;
    let secrets = match typed.get("secrets") {
        "yes" if desk.may(Permission::ExportSecrets) => Secrets::Write,
        "yes" => return Err(Fault::Refused(key("desk-not-allowed"))),
        _ => Secrets::LeaveOut,
    };
    let organization = &desk.request.visit.frame.organization;
    let Some(turn) = desk.dashboard.transfers.begin_export(organization.id) else {
        return busy(&desk, "secrets").await;
    };
    let web = &desk.request.web;
    let (vault, caller) = (Arc::clone(&web.vault), desk.caller("organization/export"));
    let mut export = Export::begin(&web.ports, vault, caller, secrets).await?;
    // A fault at the beginning has a page of its own.
    let first = export.next().await.map_err(|error| ours(error, Ours::Export))?;
    let until = Instant::now() + LONGEST;
    let lines =
        stream::try_unfold((first, export, turn), move |(first, mut export, turn)| async move {
            if Instant::now() > until {
                return Err(ExportError::Write(io::ErrorKind::TimedOut.into()));
            }
            let lines = match first {
                Some(lines) => Some(lines),
                None => export.next().await.inspect_err(|error| {
                    // The status is sent: the transfer breaks off.
                    tracing::error!(error = error as &dyn std::error::Error, "an export broke off");
                })?,
            };
            Ok::<_, ExportError>(lines.map(|lines| (Bytes::from(lines), (None, export, turn))))
        });
    let is_plain = |c: &char| c.is_ascii_alphanumeric() || *c == '-' || *c == '_';
    let name: String = organization.slug.as_str().chars().filter(is_plain).collect();
    let mut response = HttpResponse::Ok();
    protect(&mut response, false);
    Ok(response
        .insert_header((CONTENT_TYPE, "application/jsonl"))
        .insert_header((CONTENT_DISPOSITION, format!("attachment; filename=\"{name}.jsonl\"")))
        .insert_header((CACHE_CONTROL, "no-store"))
        .body(BodyStream::new(Box::pin(lines))))
}

/// `POST /dashboard/data/import`: takes a file, and begins to import it.
pub(crate) async fn import(request: Request) -> Answer {
    let desk = enter(request)?;
    let organization = desk.request.visit.organization();
    let web = &desk.request.web;
    let caller = desk.caller("organization/import");
    let Some(turn) = desk.dashboard.transfers.begin_import(organization) else {
        return busy(&desk, "file").await;
    };
    let refused = async |turn: ImportTurn, status: StatusCode, words: &str| {
        // The page must not tell of a file that is coming.
        drop(turn);
        let mut faults = Faults::default();
        faults.add("file", desk.request.language.text(words));
        page(&desk, faults, status).await
    };
    if !portable::has_room(&web.ports, caller).await? {
        return refused(turn, StatusCode::CONFLICT, key("data-filled")).await;
    }
    let taken = async {
        let mut upload = desk.request.upload(LARGEST).await?;
        let is_dry = upload.fields.get("dry_run") == "yes";
        let ending = if is_dry { Ending::Discard } else { Ending::Commit };
        Ok::<_, Fault>((ending, keep(&desk.dashboard, &mut upload).await?))
    };
    let taken = timeout(LONGEST, taken).await.unwrap_or(Err(Failure::Slow.into()));
    let (ending, (file, bytes)) = match taken {
        Err(Fault::Failure(Failure::TooLarge)) => {
            return refused(turn, StatusCode::PAYLOAD_TOO_LARGE, key("data-too-large")).await;
        }
        Ok((_, (_, 0))) => {
            return refused(turn, StatusCode::UNPROCESSABLE_ENTITY, key("data-no-file")).await;
        }
        taken => taken?,
    };
    turn.run(ending, bytes);
    let (ports, vault) = (web.ports.clone(), Arc::clone(&web.vault));
    desk.dashboard.runtime.spawn(async move {
        let progress = |done| turn.progress(done);
        let imported = portable::import_into(&ports, vault, caller, file, ending, progress).await;
        match &imported {
            Ok(summary) if ending == Ending::Commit => {
                if let Err(error) = portable::note_import(&ports, caller, summary).await {
                    let error = &error as &dyn std::error::Error;
                    tracing::error!(error, "the audit log has no entry of an import");
                }
            }
            Ok(_) | Err(ImportError::Lines(_) | ImportError::Filled) => {}
            Err(error) => {
                tracing::error!(error = error as &dyn std::error::Error, "an import failed");
            }
        }
        turn.end(imported);
    });
    Ok(desk.request.see(&format!("{}/dashboard/data?import=begun", desk.request.base)))
}

/// The longest form with a file, in bytes.
const LARGEST: usize = 1024 * 1024 * 1024;
/// The most time that a file may take, to come or to go.
const LONGEST: Duration = Duration::from_secs(3600);
/// The time after which a file must have come at [`LEAST_RATE`].
const GRACE: Duration = Duration::from_secs(30);
/// The least rate of a file, in bytes a second. A slower one keeps others from their imports.
const LEAST_RATE: u64 = 16 * 1024;
/// The number of bytes that are written to the disk at once.
const AT_ONCE: usize = 1024 * 1024;

/// Keeps the file of a form on the disk. The file has no name, so that nothing of it is left when
/// the import, or the process, has ended. Returns the file with its length.
async fn keep(dashboard: &Dashboard, upload: &mut Upload<'_>) -> Result<(File, u64), Fault> {
    let folder = dashboard.folder.clone();
    let mut file = on_disk(move || {
        DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        tempfile::tempfile_in(&folder)
    })
    .await?;
    let mut length = 0;
    let mut waiting = Vec::new();
    let begun = Instant::now();
    loop {
        let piece = upload.next().await?;
        let elapsed = begun.elapsed();
        if elapsed > GRACE && length < elapsed.as_secs() * LEAST_RATE {
            return Err(Failure::Slow.into());
        }
        if let Some(piece) = &piece {
            length += piece.len() as u64;
            waiting.extend_from_slice(piece);
        }
        if waiting.len() >= AT_ONCE || piece.is_none() {
            let bytes = std::mem::take(&mut waiting);
            file = on_disk(move || file.write_all(&bytes).map(|()| file)).await?;
        }
        if piece.is_none() {
            return Ok((on_disk(move || file.rewind().map(|()| file)).await?, length));
        }
    }
}

async fn on_disk<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, Fault> {
    let done = spawn_blocking(work).await.unwrap_or_else(|error| Err(io::Error::other(error)));
    done.map_err(|error| ours(error, Ours::Disk))
}

fn ours<E>(error: E, of: fn(E) -> Ours) -> Fault {
    Fault::Failure(Failure::Door(Box::new(of(error))))
}

/// A fault of ours.
#[derive(Debug, thiserror::Error)]
enum Ours {
    #[error("an export failed")]
    Export(#[source] ExportError),
    #[error("cannot keep a file in the data directory until it is imported")]
    Disk(#[source] io::Error),
}

impl DoorError for Ours {
    fn status(&self) -> StatusCode {
        StatusCode::INTERNAL_SERVER_ERROR
    }

    fn body(&self) -> Vec<u8> {
        br#"{"detail":{"error":"internal error"}}"#.to_vec()
    }
}
