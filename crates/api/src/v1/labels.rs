//! `/labels/…`

use crate::answer::Timestamp;
use crate::endpoint::{Endpoint, handler, read};
use crate::fields::{Fields, Noted};
use crate::page::Walk;
use hearback_app::labels;
use hearback_domain::Uuid;
use hearback_domain::label::Label;
use hearback_ports::page::ByName;
use serde::Serialize;
use utoipa::ToSchema;

pub(crate) const TABLE: &[Endpoint] = &[read(
    "/labels/list",
    "List the labels of the changelog",
    handler!(page<LabelView>: by_name => |ports, organization, (), page| {
        labels::list(ports, organization, page)
    }),
)];

fn by_name(fields: &mut Fields<'_>) -> Result<((), Walk<ByName>), Noted> {
    let list = fields.list("name");
    Ok(((), fields.walk(Ok(list))?))
}

#[derive(Serialize, ToSchema)]
#[schema(as = Label)]
pub(crate) struct LabelView<'a> {
    id: Uuid,
    name: &'a str,
    code: &'a str,
    color: &'a str,
    description: Option<&'a str>,
    created_at: Timestamp,
}

impl<'a> From<&'a Label> for LabelView<'a> {
    fn from(label: &'a Label) -> Self {
        Self {
            id: label.id.0,
            name: &label.name,
            code: &label.code,
            color: &label.color,
            description: label.description.as_deref(),
            created_at: label.created_at.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ORGANIZATION, call, id, mocks, time};
    use hearback_ports::mock::Mocks;
    use hearback_ports::{Limit, Page, PageRequest};
    use serde_json::{Value, json};

    const IOS: &str = concat!(
        r##"{"id":"00000000-0000-0000-0000-000000000001","name":"iOS","code":"ios","color":"#0af","##,
        r##""description":"The app","created_at":"2026-03-01T09:30:00.000Z"}"##
    );
    const WEB: &str = concat!(
        r##"{"id":"00000000-0000-0000-0000-000000000002","name":"Web","code":"web","color":"#0af","##,
        r##""description":null,"created_at":"2026-03-01T09:30:00.000Z"}"##
    );

    fn ios() -> Label {
        Label {
            id: id(1),
            name: "iOS".to_owned(),
            code: "ios".to_owned(),
            color: "#0af".to_owned(),
            description: Some("The app".to_owned()),
            is_active: true,
            created_at: time("2026-03-01T09:30:00Z"),
        }
    }

    fn web() -> Label {
        Label {
            id: id(2),
            name: "Web".to_owned(),
            code: "web".to_owned(),
            description: None,
            ..ios()
        }
    }

    fn paging(request: PageRequest<ByName>, next: Option<ByName>) -> Mocks {
        let mut mocks = mocks();
        mocks
            .labels
            .expect_page()
            .withf(move |of, page| (*of, page) == (ORGANIZATION, &request))
            .return_once(move |_, _| Ok(Page { items: vec![ios(), web()], next }));
        mocks
    }

    #[actix_web::test]
    async fn labels_are_paged() {
        let end = ByName { name: "Web".to_owned(), id: id(2) };
        let first = PageRequest { after: None, limit: Limit::new(2).unwrap() };
        let reply =
            call(paging(first, Some(end.clone())), "/labels/list", json!({"limit": 2})).await;
        let page: Value = serde_json::from_str(&reply.body).unwrap();
        let cursor = page["cursor"].as_str().unwrap();
        let expected =
            format!(r#"{{"items":[{IOS},{WEB}],"has_next_page":true,"cursor":"{cursor}"}}"#);
        assert_eq!(reply.shown(), (200, &*expected));

        let second = PageRequest { after: Some(end), limit: Limit::DEFAULT };
        let reply = call(paging(second, None), "/labels/list", json!({"cursor": cursor})).await;
        assert_eq!(
            reply.shown(),
            (200, &*format!(r#"{{"items":[{IOS},{WEB}],"has_next_page":false,"cursor":null}}"#))
        );
    }

    #[actix_web::test]
    async fn a_limit_out_of_range_is_422() {
        let reply = call(mocks(), "/labels/list", json!({"limit": 101})).await;
        let fault = r#"{"type":"less_than_equal","loc":["body","limit"],"msg":"Input should be less than or equal to 100","input":101}"#;
        assert_eq!(reply.shown(), (422, &*format!(r#"{{"detail":[{fault}]}}"#)));
    }
}
