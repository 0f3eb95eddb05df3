//! `/labels/…`

use crate::answer::Timestamp;
use crate::endpoint::{Endpoint, handler, read};
use crate::fields::{Fields, Noted};
use crate::page::Paging;
use hearback_app::labels;
use hearback_domain::Uuid;
use hearback_domain::label::Label;
use hearback_ports::page::ByName;
use serde::Serialize;
use utoipa::ToSchema;

pub(crate) const TABLE: &[Endpoint] = &[read(
    "/labels/list",
    "List the labels of the changelog",
    handler!(page<LabelView>: by_name => |ports, caller, (), page| {
        labels::list(ports, caller, page)
    }),
)];

fn by_name(fields: &mut Fields<'_>) -> Result<((), Paging<ByName>), Noted> {
    let list = fields.list("name");
    Ok(((), fields.paging(Ok(list))?))
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
