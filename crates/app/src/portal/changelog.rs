//! The changelog.

use super::people::{Byline, Bylines};
use super::{Found, Visit, gone};
use crate::Error;
use crate::help_redirects::present;
use hearback_domain::changelog_entry::{
    ChangelogEntry, EntryDetails, EntryFilter, EntrySort, EntryType,
};
use hearback_domain::feedback_post::FeedbackPost;
use hearback_domain::fold::{self, Folded};
use hearback_domain::help_redirect::Path;
use hearback_domain::id::{ChangelogEntryId, LabelId};
use hearback_domain::record::{Key, Kind};
use hearback_domain::slug::Slug;
use hearback_ports::page::{ByOptionalTime, Page, PageRequest};
use hearback_ports::records::Name;
use hearback_ports::{Limit, Ports};

/// An entry in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenEntry {
    /// The entry.
    pub entry: ChangelogEntry,
    /// The author.
    pub author: Option<Byline>,
}

/// The page of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryPage {
    /// The entry.
    pub seen: SeenEntry,
    /// The linked posts that the visitor sees.
    pub posts: Vec<FeedbackPost>,
}

/// A page of the entries that are published and shown, the last published first.
pub async fn entries(
    ports: &Ports,
    visit: &Visit,
    (entry_type, label): (Option<EntryType>, Option<LabelId>),
    page: PageRequest<ByOptionalTime>,
) -> Result<Page<SeenEntry, ByOptionalTime>, Error> {
    let label_ids = label.into_iter().collect();
    let filter = EntryFilter { entry_type, label_ids, is_public: true };
    let (organization, sort) = (visit.organization(), EntrySort::Published);
    let found = ports.changelog_entries.page(organization, filter, sort, 0, page).await?;
    let authors = found.items.iter().filter_map(|it| it.entry.author_id);
    let people = Bylines::load(ports, visit, authors).await?;
    let seen = |EntryDetails { entry, .. }: EntryDetails| SeenEntry {
        author: entry.author_id.map(|id| people.of(id)),
        entry,
    };
    Ok(Page { items: found.items.into_iter().map(seen).collect(), next: found.next })
}

/// The public entries whose title or content contains a text, among the last published.
pub(super) async fn matching(
    ports: &Ports,
    visit: &Visit,
    text: &Folded,
    most: usize,
) -> Result<Vec<SeenEntry>, Error> {
    let mut found = Vec::new();
    let mut page =
        PageRequest { after: None, limit: Limit::new(Limit::MAX).unwrap_or(Limit::DEFAULT) };
    for _ in 0..SEARCHED_PAGES {
        let Page { items, next } = entries(ports, visit, (None, None), page.clone()).await?;
        let is_match = |seen: &SeenEntry| {
            let parts = [seen.entry.title.as_str(), seen.entry.content.as_str()];
            fold::search_text(parts).contains(text.as_str())
        };
        found.extend(items.into_iter().filter(is_match));
        if found.len() >= most || next.is_none() {
            break;
        }
        page.after = next;
    }
    found.truncate(most);
    Ok(found)
}

/// The pages of entries that a search looks through: the last 500 entries.
const SEARCHED_PAGES: usize = 5;

/// The page of the entry with a slug.
pub async fn entry(ports: &Ports, visit: &Visit, slug: &str) -> Result<Found<EntryPage>, Error> {
    let missing = || gone(Kind::ChangelogEntry);
    let organization = visit.organization();
    let slug = Slug::parse(slug).map_err(|_| missing())?;
    let (kind, names) = (Kind::ChangelogEntry, vec![slug.key()]);
    let named = ports.records.named(organization, kind, Name::Slug, names).await?;
    let (id, is_moved) = match named.into_iter().next() {
        Some((_, id)) => (id, false),
        // The entry may have another slug now.
        None => {
            let former = Path::of_entry(&slug);
            let slug = present(ports, organization, former).await?.ok_or_else(missing)?;
            let names = vec![slug.key()];
            let named = ports.records.named(organization, kind, Name::Slug, names).await?;
            (named.into_iter().next().ok_or_else(missing)?.1, true)
        }
    };
    let id: ChangelogEntryId = id.into();
    let found = ports.changelog_entries.find(organization, id).await?;
    let is_shown = |it: &EntryDetails| it.entry.is_out() && it.entry.show_on_portal;
    let EntryDetails { entry, post_ids } = found.filter(is_shown).ok_or_else(missing)?;
    if is_moved {
        return Ok(Found::Moved(entry.slug));
    }

    let people = Bylines::load(ports, visit, entry.author_id).await?;
    let keys: Vec<Key> = post_ids.iter().map(|id| (Kind::FeedbackPost, id.0)).collect();
    let posts = match keys.is_empty() {
        true => vec![],
        false => {
            let known = ports.records.load(organization, keys).await?;
            let active = post_ids.iter().filter_map(|id| known.active::<FeedbackPost>(*id));
            active
                .filter(|post| post.merged_into_id.is_none() && visit.lists(post))
                .cloned()
                .collect()
        }
    };
    let author = entry.author_id.map(|id| people.of(id));
    Ok(Found::Here(EntryPage { seen: SeenEntry { entry, author }, posts }))
}
