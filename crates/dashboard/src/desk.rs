//! The desk of a member of the team: who is at work, and the calls of endpoints.

use crate::Dashboard;
use crate::schema::{Action, action};
use actix_web::http::StatusCode;
use actix_web::web::Data;
use hearback_api::Reply;
use hearback_app::{Caller, Who};
use hearback_domain::id::UserId;
use hearback_domain::permission::{Permission, Role};
use hearback_domain::plan::Plan;
use hearback_http::{DoorError, Failure};
use hearback_ports::IdempotencyKey;
use hearback_web::chrome::{Chrome, Part};
use hearback_web::{Fault, Request};
use serde_json::{Value, json};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// A request of a member of the team.
pub(crate) struct Desk {
    pub(crate) request: Request,
    pub(crate) role: Role,
    pub(crate) user: UserId,
    pub(crate) dashboard: Arc<Dashboard>,
}

/// Why an endpoint has not done what it was called for.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// Fields are wrong: the name of each with the type and the words of the fault.
    Fields(Vec<(&'static str, String)>),
    /// The record was changed since the page was made.
    Changed,
    /// A precondition does not hold, in the words of the API.
    Words(String),
    /// The answer is a page of its own.
    Page(Fault),
}

impl From<Refusal> for Fault {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Page(fault) => fault,
            Refusal::Fields(_) | Refusal::Changed | Refusal::Words(_) => Self::Gone,
        }
    }
}

impl Desk {
    /// Lets a member of the team in. For everybody else, the dashboard is not there.
    pub(crate) fn enter(request: Request) -> Result<Self, Fault> {
        let (_, user) = request.visit.oneself()?;
        let (role, user) = (user.role().ok_or(Fault::Gone)?, user.user_id);
        let dashboard = request.http.app_data::<Data<Dashboard>>();
        let dashboard = dashboard.map(|it| Arc::clone(it)).ok_or(Failure::Misplaced)?;
        request.count()?;
        Ok(Self { role, user, dashboard, request })
    }

    /// The member as the caller of a use case.
    pub(crate) fn caller(&self, action: &'static str) -> Caller {
        let organization = &self.request.visit.frame.organization;
        let plan = Plan { help_center: organization.help_center };
        let who = Who::Member { user: self.user, role: self.role };
        let caller = Caller::new(organization.id, plan, who).doing(action);
        caller.keeping_events(organization.events_ledger)
    }

    /// Whether the role of the member has a permission.
    pub(crate) fn may(&self, permission: Permission) -> bool {
        self.role.may(permission)
    }

    /// Calls an endpoint. Returns the body of a `200`.
    pub(crate) async fn call(&self, path: &str, body: Value) -> Result<Value, Refusal> {
        self.call_once(path, body, None).await
    }

    /// Calls an endpoint, once for each form and what was typed in it. A browser may send a form
    /// twice. Returns the body of a `200`.
    pub(crate) async fn call_once(
        &self,
        path: &str,
        body: Value,
        form: Option<&str>,
    ) -> Result<Value, Refusal> {
        let endpoint = action(path).ok_or(Refusal::Page(Fault::Gone))?;
        let organization = self.request.visit.organization();
        let caller = (organization, self.caller(endpoint.path));
        let body = body.to_string();
        let key = form.and_then(|form| {
            let mut hasher = DefaultHasher::new();
            (self.user.0, form, endpoint.path, &body).hash(&mut hasher);
            IdempotencyKey::parse(&format!("dashboard-{:016x}", hasher.finish()))
        });
        let reply = self.dashboard.api.call_as(endpoint.path, caller, body.as_bytes(), key).await;
        answer(endpoint, &reply)
    }

    /// The changes that `/users/upsert` would make with a body, or its refusal.
    pub(crate) async fn preview_upsert(&self, body: &Value) -> Result<Vec<Value>, Refusal> {
        let caller = (self.request.visit.organization(), self.caller(UPSERT));
        let reply = self.dashboard.api.preview_upsert(caller, body.to_string().as_bytes()).await;
        let endpoint = action(UPSERT).ok_or(Refusal::Page(Fault::Gone))?;
        answer(endpoint, &reply).map(items)
    }

    /// All records of a list, whether it has pages or not.
    pub(crate) async fn whole(&self, path: &str, mut body: Value) -> Result<Vec<Value>, Fault> {
        let mut all = Vec::new();
        if action(path).is_some_and(|list| list.field("limit").is_some()) {
            body["limit"] = PAGE.into();
        }
        loop {
            let answer = self.call(path, body.clone()).await?;
            let cursor = answer.get("cursor").cloned().unwrap_or_default();
            all.extend(items(answer));
            if cursor.is_null() {
                return Ok(all);
            }
            body["cursor"] = cursor;
        }
    }

    /// The part that all pages of the dashboard share.
    pub(crate) fn chrome(&self) -> Chrome {
        Chrome { is_indexed: false, ..self.request.chrome(Part::None) }
    }
}

/// The endpoint that makes or changes a person.
pub(crate) const UPSERT: &str = "/users/upsert";

/// The most records of a page of a list.
const PAGE: i64 = 100;

/// The records of an answer: of a list, or of a page of one.
pub(crate) fn items(mut answer: Value) -> Vec<Value> {
    let list = if answer.is_array() { answer } else { answer["items"].take() };
    match list {
        Value::Array(items) => items,
        _ => Vec::new(),
    }
}

/// The body of a `200`, or the refusal.
pub(crate) fn answer(endpoint: &'static Action, reply: &Reply) -> Result<Value, Refusal> {
    let body = serde_json::from_slice::<Value>(&reply.body).unwrap_or_default();
    let detail = &body["detail"];
    let words = || detail["error"].as_str().or(detail.as_str()).unwrap_or_default().to_owned();
    Err(match reply.status {
        200 => return Ok(body),
        422 => Refusal::Fields(faults(endpoint, detail)),
        404 => Refusal::Page(Fault::Gone),
        400 if words() == CHANGED => Refusal::Changed,
        400 => Refusal::Words(words()),
        // The role lacks the permission, or a rule of the product forbids it.
        403 if words().ends_with(NOT_PERMITTED) => {
            Refusal::Page(Fault::Refused(hearback_web::chrome::key("desk-not-allowed")))
        }
        403 => Refusal::Words(words()),
        status => Refusal::Page(Fault::Failure(Failure::Door(Box::new(Failed(status))))),
    })
}

/// The words of the API for a record that was changed meanwhile.
const CHANGED: &str = "the record was changed meanwhile";
/// The end of the words of the API for a caller without a permission.
const NOT_PERMITTED: &str = " is not permitted";

/// The faults of a `422`, by field.
fn faults(endpoint: &'static Action, detail: &Value) -> Vec<(&'static str, String)> {
    let all = detail.as_array().map(Vec::as_slice).unwrap_or_default();
    let fault = |fault: &Value| {
        let name = fault["loc"][1].as_str().unwrap_or_default();
        let field = endpoint.field(name).map_or("", |field| field.name);
        (field, fault["msg"].as_str().unwrap_or_default().to_owned())
    };
    all.iter().map(fault).collect()
}

/// A call failed for a fault of ours, which the log has already.
#[derive(Debug, thiserror::Error)]
#[error("an endpoint answered {0}")]
struct Failed(u16);

impl DoorError for Failed {
    fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.0).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    fn body(&self) -> Vec<u8> {
        json!({"detail": {"error": "internal error"}}).to_string().into_bytes()
    }
}
