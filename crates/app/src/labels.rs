//! `/labels/…`

use crate::{Caller, Error};
use hearback_domain::label::Label;
use hearback_domain::record::Kind;
use hearback_ports::Ports;
use hearback_ports::page::{ByName, Page, PageRequest};

/// `/labels/list`: the active ones, by name.
pub async fn list(
    ports: &Ports,
    caller: Caller,
    page: PageRequest<ByName>,
) -> Result<Page<Label, ByName>, Error> {
    let organization = caller.view(Kind::Label)?;
    Ok(ports.labels.page(organization, page).await?)
}
