//! The pages that search engines are told of: those that everybody sees.
//!
//! An organization may have hundreds of thousands of them. So they are listed in maps of a number of
//! records each, in the order of identifiers: a record stays in its map, and a new one comes into
//! the last map.

use super::Visit;
use crate::Error;
use hearback_domain::changelog_entry::ChangelogEntry;
use hearback_domain::feedback_post::FeedbackPost;
use hearback_domain::help_article::{ArticleStatus, HelpArticle};
use hearback_domain::help_redirect::Path;
use hearback_domain::id::OrganizationId;
use hearback_domain::record::{Key, Kind, Known, OfKind, Parent, Record};
use hearback_domain::{Time, Uuid};
use hearback_ports::Ports;
use std::sync::Arc;

/// The kinds of records that have pages in maps.
pub const MAPPED: [Kind; 3] = [Kind::FeedbackPost, Kind::ChangelogEntry, Kind::HelpArticle];

/// The most records of a map.
const MAP: i64 = 5_000;
/// The records that are loaded at once.
const LOADED_AT_ONCE: usize = 500;

/// The maps of a kind: the identifier behind which each begins.
pub async fn maps(ports: &Ports, visit: &Visit, kind: Kind) -> Result<Vec<Option<Uuid>>, Error> {
    let (mut maps, mut after) = (vec![], None);
    while is_shown(visit, kind) {
        let ids = ports.records.ids(visit.organization(), kind, after, MAP).await?;
        let Some(last) = ids.last() else { break };
        maps.push(after);
        after = Some(*last);
    }
    Ok(maps)
}

/// The pages of a map: the address of each, and when it has changed.
pub async fn map(
    ports: &Ports,
    visit: &Visit,
    kind: Kind,
    after: Option<Uuid>,
) -> Result<Vec<(Path, Time)>, Error> {
    if !is_shown(visit, kind) {
        return Ok(vec![]);
    }
    let (organization, guest) = (visit.organization(), Visit::of_nobody(Arc::clone(&visit.frame)));
    let ids = ports.records.ids(organization, kind, after, MAP).await?;
    let mut pages = vec![];
    for some in ids.chunks(LOADED_AT_ONCE) {
        let keys: Vec<Key> = some.iter().map(|id| (kind, *id)).collect();
        let known = ports.records.load(organization, keys.clone()).await?;
        let known = with_parents(ports, organization, known, &keys).await?;
        let page = |key: &Key| {
            let record = known.get(*key)?;
            Some((Path::of(record, &known)?, seen_since(record, &guest)?))
        };
        pages.extend(keys.iter().filter_map(page));
    }
    Ok(pages)
}

/// The records, with all that their addresses name.
async fn with_parents(
    ports: &Ports,
    organization: OrganizationId,
    mut known: Known,
    keys: &[Key],
) -> Result<Known, Error> {
    let mut level = keys.to_vec();
    loop {
        let above = level.iter().filter_map(|key| match known.get(*key)?.parent()? {
            Parent::Record(kind, id) => Some((kind, id)),
            _ => None,
        });
        let mut above: Vec<Key> = above.collect();
        above.sort();
        above.dedup();
        if above.is_empty() {
            return Ok(known);
        }
        known = known.with(ports.records.load(organization, above.clone()).await?);
        level = above;
    }
}

/// When the page of a record has changed. `None` if the visitor does not find it in lists.
fn seen_since(record: &Record, visit: &Visit) -> Option<Time> {
    if let Some(post) = FeedbackPost::of_record(record) {
        let is_seen = post.is_active && post.merged_into_id.is_none() && visit.lists(post);
        return is_seen.then_some(post.updated_at);
    }
    if let Some(entry) = ChangelogEntry::of_record(record) {
        return (entry.is_out() && entry.show_on_portal).then_some(entry.updated_at);
    }
    let article = HelpArticle::of_record(record)?;
    let is_public = article.show_on_portal && article.status == ArticleStatus::Published;
    (article.is_active && is_public).then_some(article.updated_at)
}

/// Whether the portal has the part in which records of a kind are.
fn is_shown(visit: &Visit, kind: Kind) -> bool {
    let organization = &visit.frame.organization;
    match kind {
        Kind::FeedbackPost => organization.portal.shows_feedback,
        Kind::ChangelogEntry => organization.portal.shows_changelog,
        _ => organization.portal.shows_help && organization.help_center.is_enabled(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::portal::tests::visit;
    use hearback_domain::organization::HelpCenter;
    use hearback_ports::mock::Mocks;

    #[tokio::test]
    async fn the_maps_of_a_kind_have_all_its_records() {
        let all: Vec<Uuid> = (1..=12_000).map(Uuid::from_u128).collect();
        let mut mocks = Mocks::default();
        mocks.records.expect_ids().returning(move |_, kind, after, limit| {
            assert_eq!(kind, Kind::FeedbackPost);
            let behind = all.iter().filter(|id| after.is_none_or(|after| **id > after));
            Ok(behind.take(limit.try_into().unwrap()).copied().collect())
        });
        let visit = visit(vec![], None);
        let maps = maps(&mocks.ports(), &visit, Kind::FeedbackPost).await.unwrap();
        let expected = [None, Some(5_000), Some(10_000)].map(|id| id.map(Uuid::from_u128));
        assert_eq!(maps, expected);
    }

    #[test]
    fn a_part_that_the_portal_does_not_have_has_no_map() {
        let shown = |shows: [bool; 3], help_center| {
            let mut visit = visit(vec![], None);
            let frame = Arc::make_mut(&mut visit.frame);
            frame.organization.help_center = HelpCenter::from_flag(help_center);
            let portal = &mut frame.organization.portal;
            [portal.shows_feedback, portal.shows_changelog, portal.shows_help] = shows;
            MAPPED.map(|kind| is_shown(&visit, kind))
        };
        assert_eq!(shown([true; 3], true), [true; 3]);
        assert_eq!(shown([false, true, true], true), [false, true, true]);
        assert_eq!(shown([true, false, true], true), [true, false, true]);
        assert_eq!(shown([true, true, false], true), [true, true, false]);
        assert_eq!(shown([true; 3], false), [true, true, false]);
    }
}
