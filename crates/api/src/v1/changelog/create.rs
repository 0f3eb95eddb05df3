//! `/changelog/create`

use crate::answer::{self, Answer};
use crate::call::Call;
use crate::fault::Wrong;
use crate::fields::{
    Fields, Input, Noted, any_of, boolean, bounded, given, is_one_of, one_of, string, timestamp,
    uuid, web_url,
};
use hearback_app::changelog;
use hearback_domain::ClosedSet;
use hearback_domain::changelog_entry::{EntryDraft, EntryStatus, Launch, NoScheduledTime};
use serde_json::Value;

/// `/changelog/create`
pub(crate) async fn create(Call { api, organization, input, repeat }: Call<EntryDraft>) -> Answer {
    let outcome = changelog::create(&api.ports, organization, input, repeat).await?;
    answer::outcome(outcome)
}

impl Input for EntryDraft {
    const WRITE: Option<&'static str> = Some("/changelog/create");

    fn parse(fields: &mut Fields<'_>) -> Result<Self, Noted> {
        let title = fields.required("title", bounded);
        let content = fields.optional("details", string);
        let entry_type = fields.optional("type", one_of);
        let label_ids = fields.ids("label_ids");
        let launch = launch(fields);
        let notify = fields.optional("notify", boolean);
        let author_id = fields.optional("author_id", uuid);
        let featured_image_url = fields.optional("featured_image_url", web_url);
        let show_on_portal = fields.optional("show_on_portal", boolean);
        Ok(Self {
            title: title?,
            content: content?.unwrap_or_default(),
            entry_type: entry_type?,
            label_ids: label_ids?,
            launch: launch?,
            notify: notify?.unwrap_or(true),
            author_id: author_id?.map(Into::into),
            featured_image_url: featured_image_url?,
            show_on_portal: show_on_portal?.unwrap_or(true),
        })
    }
}

/// `status_code`, `published` and `scheduled_for`, which together decide what the entry is to be.
fn launch(fields: &mut Fields<'_>) -> Result<Launch, Noted> {
    fields.rule(|| {
        let others = EntryStatus::ALL.iter().filter(|status| **status != EntryStatus::Scheduled);
        let others = others.map(|status| status.code().into()).chain([Value::Null]);
        let is_published = is_one_of("published", [true.into()]).required("published").build();
        any_of([is_one_of("status_code", others).build(), is_published, given("scheduled_for")])
    });
    let status = fields.optional("status_code", one_of);
    let published = fields.optional("published", boolean);
    let scheduled_for = fields.optional("scheduled_for", timestamp);
    Launch::new(published?.unwrap_or(false), status?, scheduled_for?)
        .map_err(|NoScheduledTime| fields.fault("scheduled_for", Wrong::Missing))
}
