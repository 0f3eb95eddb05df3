//! `/changelog/list`

use super::EntryView;
use crate::answer::{self, Answer};
use crate::call::Call;
use crate::fields::{Fields, Input, Noted, one_of};
use crate::page::List;
use hearback_app::changelog::{self, ListEntries};
use hearback_domain::ClosedSet;
use hearback_domain::changelog_entry::{EntryFilter, EntrySort, EntryType};

/// `/changelog/list`
pub(crate) async fn list(Call { api, organization, input, .. }: Call<ListChangelog>) -> Answer {
    let page = changelog::list(&api.ports, organization, input.entries).await?;
    answer::page::<EntryView<'_>, _, _>(&page, &input.list)
}

pub(crate) struct ListChangelog {
    entries: ListEntries,
    list: List,
}

impl Input for ListChangelog {
    fn parse(fields: &mut Fields<'_>) -> Result<Self, Noted> {
        let entry_type = fields.optional("type", one_of);
        let label_ids = fields.ids("label_ids");
        let sort = fields.optional("sort", one_of).map(|sort| sort.unwrap_or(EntrySort::Newest));
        let limit = fields.limit();
        let skip = fields.skip();
        let filter =
            entry_type.and_then(|entry_type| Ok(EntryFilter { entry_type, label_ids: label_ids? }));
        let list = sort.and_then(|sort| {
            let filter = filter.as_ref().map_err(|noted| *noted)?;
            let list = fields.list("/changelog/list", sort.code());
            Ok(list.filter(filter.entry_type.map(EntryType::code)).filter_by_any(&filter.label_ids))
        });
        let walk = fields.walk_by(limit, list)?;
        Ok(Self {
            entries: ListEntries { filter: filter?, sort: sort?, skip: skip?, page: walk.page },
            list: walk.list,
        })
    }
}
