//! The request of a delivery.

use crate::desk::Desk;
use crate::values::text_of;
use hearback_app::events;
use hearback_domain::id::parse_uuid;
use hearback_web::Fault;
use serde_json::{Map, Value, json};

/// The members of a delivery that tell of its request: the address, the headers and the body. A
/// header that proves who has sent the request is left out.
pub(crate) async fn request(desk: &Desk, delivery: &Value) -> Result<Map<String, Value>, Fault> {
    let mut request = Map::new();
    let webhook = desk.call("/webhooks/retrieve", json!({ "id": delivery["webhook_id"] })).await?;
    request.insert("url".to_owned(), webhook["url"].clone());
    request.insert("headers".to_owned(), headers(delivery).into());
    let id = parse_uuid(&text_of(&delivery["event_id"])).ok_or(Fault::Gone)?;
    let caller = desk.caller("deliveries/retrieve");
    if let Some(event) = events::find(&desk.request.web.ports, caller, id.into()).await? {
        let data = serde_json::from_str(&event.data).unwrap_or_default();
        let organization = desk.request.visit.organization().to_string();
        request.insert("body".to_owned(), body(delivery, &organization, data));
    }
    Ok(request)
}

/// The headers of each attempt, a line for each.
fn headers(delivery: &Value) -> String {
    let member = |name: &str| text_of(&delivery[name]);
    let all = [
        ("Content-Type", "application/json".to_owned()),
        ("X-Service-Event", member("event_type")),
        ("X-Service-Webhook-Id", member("webhook_id")),
        ("X-Service-Delivery-Id", member("id")),
    ];
    all.map(|(name, value)| format!("{name}: {value}")).join("\n")
}

/// The envelope of the contract.
fn body(delivery: &Value, organization: &str, data: Value) -> Value {
    json!({
        "event": delivery["event_type"],
        "organization_id": organization,
        "occurred_at": delivery["occurred_at"],
        "data": data,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_request_is_that_of_the_contract_without_its_signatures() {
        let document: Value = serde_json::from_str(hearback_api::openapi()).unwrap();
        let sent = &document["webhooks"]["vote.created"]["post"];
        let content = &sent["requestBody"]["content"]["application/json"];
        let example = &content["example"];
        let delivery = json!({"id": "d", "webhook_id": "w", "event_type": "vote.created",
            "occurred_at": example["occurred_at"]});
        let organization = text_of(&example["organization_id"]);
        let shown = body(&delivery, &organization, example["data"].clone());
        assert_eq!(shown.to_string(), example.to_string());

        let parameters = sent["parameters"].as_array().unwrap().iter();
        let names: Vec<_> = parameters.map(|it| text_of(&it["$ref"])).collect();
        let headers = headers(&delivery);
        for line in headers.lines().skip(1) {
            let (name, _) = line.split_once(": ").unwrap();
            assert!(names.iter().any(|it| it.ends_with(&format!("/{name}"))), "{name}");
        }
        assert!(!headers.to_lowercase().contains("signature"));
    }
}
