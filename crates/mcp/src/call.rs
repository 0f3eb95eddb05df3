//! The call of a tool: the choice of its endpoints, their bodies, and the answer.
//!
//! A refusal is the body of the endpoint's, so it names arguments as the fields that they are. The
//! faults of a call that no endpoint sees have the same shape.

use crate::catalog::{Endpoint, catalog};
use crate::tools::{Calls, Nature, Tool};
use hearback_api::{Api, Reply};
use hearback_ports::IdempotencyKey;
use hearback_ports::keys::KeyOwner;
use rmcp::model::JsonObject;
use serde_json::{Value, json};
use std::sync::Arc;

/// A call of a tool.
pub(crate) struct Call<'a> {
    pub(crate) api: &'a Arc<Api>,
    pub(crate) owner: KeyOwner,
    pub(crate) tool: &'static Tool,
}

/// The body of a refusal.
pub(crate) struct Refused(pub(crate) Value);

/// The status of a refusal that says that there is no such record.
const NOT_FOUND: u16 = 404;
/// The status of a refusal by the plan.
const FORBIDDEN: u16 = 403;
/// The status of a refusal that has faults of fields.
const INVALID: u16 = 422;

impl Call<'_> {
    /// Calls the tool.
    pub(crate) async fn run(&self, arguments: JsonObject) -> Result<Value, Refused> {
        match self.tool.calls {
            Calls::One(path) => self.one(path, "", arguments).await,
            Calls::If(names, first, second) => {
                let given = names.iter().find(|name| is_given(&arguments, name));
                match given {
                    Some(name) => self.one(first, &format!("not beside {name}"), arguments).await,
                    None => {
                        let why = format!("only beside {}", names.join(" or "));
                        self.one(second, &why, arguments).await
                    }
                }
            }
            Calls::By(name, paths) => {
                let value = self.selected(name, &arguments)?;
                let path = paths.iter().find(|(known, _)| Some(*known) == value);
                let Some((value, path)) = path else {
                    return Err(fault("missing", name, "Field required"));
                };
                self.one(path, &format!("not with the {name} {value}"), arguments).await
            }
            Calls::Find(kinds) => self.find(kinds, arguments).await,
            Calls::All(lists) => self.all(lists, arguments).await,
        }
    }

    /// Calls one endpoint. `why_not` is the reason why it does not take an argument that another
    /// endpoint of the tool takes.
    async fn one(
        &self,
        path: &str,
        why_not: &str,
        mut arguments: JsonObject,
    ) -> Result<Value, Refused> {
        let endpoint = endpoint(path)?;
        if let Calls::By(selector, _) = self.tool.calls {
            arguments.shift_remove(selector);
        }
        let destroys = self.tool.nature == Nature::Destroys;
        let confirmed = if destroys { arguments.shift_remove("confirm") } else { None };
        let key = if endpoint.is_write { arguments.shift_remove("idempotency_key") } else { None };
        self.check_names(&arguments, Some(endpoint), why_not)?;
        let key = key.filter(|key| !key.is_null()).map(|key| {
            let rule = "Value error, expected 1 to 255 visible ASCII characters";
            let key = key.as_str().and_then(IdempotencyKey::parse);
            key.ok_or_else(|| fault("value_error", "idempotency_key", rule))
        });
        let key = key.transpose()?;
        let is_dry = arguments.get("dry_run") == Some(&Value::Bool(true));
        let needs_confirmation = destroys && endpoint.is_write && !is_dry;
        if needs_confirmation && confirmed != Some(Value::Bool(true)) {
            let rule = "Value error, nothing was done: ask the person, and call again with \
                        confirm: true";
            return Err(fault("value_error", "confirm", rule));
        }
        let Reply { status, body } = self.send(path, &arguments, key).await;
        let mut answer = json_of(&body);
        if status != 200 {
            return Err(Refused(answer));
        }
        endpoint.texts.mark(&mut answer);
        Ok(answer)
    }

    /// The record with the argument `id`.
    async fn find(
        &self,
        kinds: &[(&str, &str, &str)],
        mut arguments: JsonObject,
    ) -> Result<Value, Refused> {
        let selected = self.selected("kind", &arguments)?;
        arguments.shift_remove("kind");
        let id = arguments.shift_remove("id");
        self.check_names(&arguments, None, "")?;
        let id = id.ok_or_else(|| fault("missing", "id", "Field required"))?;
        let mut refused = json!({"detail": {"error": "record not found"}});
        for (kind, path, name) in kinds {
            if selected.is_some_and(|selected| selected != *kind) {
                continue;
            }
            let body = [((*name).to_owned(), id.clone())].into_iter().collect();
            let Reply { status, body } = self.send(path, &body, None).await;
            let mut answer = json_of(&body);
            match status {
                200 => {
                    endpoint(path)?.texts.mark(&mut answer);
                    return Ok(json!({"kind": kind, "record": answer}));
                }
                NOT_FOUND | FORBIDDEN if selected.is_none() => {}
                NOT_FOUND | FORBIDDEN => refused = answer,
                INVALID => {
                    // The fault is that of the argument, which the endpoint may call otherwise.
                    let faults = answer.get_mut("detail").and_then(Value::as_array_mut);
                    let faults = faults.into_iter().flatten().filter_map(Value::as_object_mut);
                    for fault in faults {
                        fault.insert("loc".to_owned(), json!(["body", "id"]));
                    }
                    return Err(Refused(answer));
                }
                _ => return Err(Refused(answer)),
            }
        }
        Err(Refused(refused))
    }

    /// All records of several lists. A list that the plan does not include is left out.
    async fn all(&self, lists: &[(&str, &str)], arguments: JsonObject) -> Result<Value, Refused> {
        self.check_names(&arguments, None, "")?;
        let mut answer = JsonObject::new();
        for (member, path) in lists {
            let mut records = Vec::new();
            let mut body = JsonObject::from_iter([("limit".to_owned(), 100.into())]);
            loop {
                let Reply { status, body: text } = self.send(path, &body, None).await;
                let mut page = json_of(&text);
                match status {
                    200 => {}
                    FORBIDDEN => break,
                    _ => return Err(Refused(page)),
                }
                let cursor = page.get_mut("cursor").map(Value::take).unwrap_or_default();
                let items = page.get_mut("items").map(Value::take).unwrap_or(page);
                if let Value::Array(mut items) = items {
                    records.append(&mut items);
                }
                if cursor.is_null() {
                    answer.insert((*member).to_owned(), records.into());
                    break;
                }
                body.insert("cursor".to_owned(), cursor);
            }
        }
        Ok(answer.into())
    }

    /// Sends a body to an endpoint.
    async fn send(&self, path: &str, body: &JsonObject, key: Option<IdempotencyKey>) -> Reply {
        // Arguments are JSON, and can be written.
        let body = serde_json::to_vec(body).unwrap_or_default();
        self.api.call(path, self.owner, &body, key).await
    }

    /// The value of the argument that selects an endpoint.
    fn selected(
        &self,
        name: &str,
        arguments: &JsonObject,
    ) -> Result<Option<&'static str>, Refused> {
        if !is_given(arguments, name) {
            return Ok(None);
        }
        let known = self.tool.calls.selector().map(|(_, values)| values).unwrap_or_default();
        let value = known.iter().find(|value| arguments[name] == **value);
        value.copied().map(Some).ok_or_else(|| {
            let message = format!("Input should be one of {}", known.join(", "));
            fault("literal_error", name, &message)
        })
    }

    /// Refuses arguments that the endpoint does not take. The API would ignore them, but an agent
    /// that guesses a name would believe that it has an effect.
    fn check_names(
        &self,
        arguments: &JsonObject,
        endpoint: Option<&Endpoint>,
        why_not: &str,
    ) -> Result<(), Refused> {
        let is_taken =
            |name: &str| endpoint.is_some_and(|endpoint| endpoint.fields.contains_key(name));
        let known = catalog().tool(self.tool.name).map(|tool| &tool.input_schema["properties"]);
        let is_known = |name: &str| known.is_some_and(|known| known.get(name).is_some());
        let faults = arguments.keys().filter(|name| !is_taken(name)).map(|name| {
            if is_known(name) {
                item("value_error", name, &format!("Value error, {why_not}"))
            } else {
                item("extra_forbidden", name, "Extra inputs are not permitted")
            }
        });
        let faults: Vec<Value> = faults.collect();
        if faults.is_empty() { Ok(()) } else { Err(Refused(json!({"detail": faults}))) }
    }
}

fn is_given(arguments: &JsonObject, name: &str) -> bool {
    arguments.get(name).is_some_and(|value| !value.is_null())
}

fn endpoint(path: &str) -> Result<&'static Endpoint, Refused> {
    let endpoint = catalog().endpoint(path);
    endpoint.ok_or_else(|| Refused(json!({"detail": {"error": "not found"}})))
}

/// The body of an answer, which is JSON.
fn json_of(body: &[u8]) -> Value {
    serde_json::from_slice(body).unwrap_or_default()
}

fn fault(code: &str, argument: &str, message: &str) -> Refused {
    Refused(json!({"detail": [item(code, argument, message)]}))
}

/// An item of a `422`.
fn item(code: &str, argument: &str, message: &str) -> Value {
    json!({"type": code, "loc": ["body", argument], "msg": message, "input": null})
}
