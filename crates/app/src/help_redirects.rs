//! `/help-redirects/…`, and the way from a path of the portal to the page that has its place.

use crate::once::{Outcome, Repeat, once};
use crate::write::{self, Changing, Decided, Unnamed};
use crate::{Caller, Error, Precondition};
use hearback_domain::help_redirect::{HelpRedirect, Move, Path, Redirects, kinds_of_pages};
use hearback_domain::id::{HelpRedirectId, OrganizationId};
use hearback_domain::record::{Key, Kind, Known, Parent, Record, Step};
use hearback_domain::slug::Slug;
use hearback_ports::page::{ByTime, Page, PageRequest};
use hearback_ports::records::Name;
use hearback_ports::{Ports, WriteResult};

/// `/help-redirects/list`: the redirects, newest first.
pub async fn list(
    ports: &Ports,
    caller: Caller,
    page: PageRequest<ByTime>,
) -> Result<Page<HelpRedirect, ByTime>, Error> {
    let organization = caller.view(Kind::HelpRedirect)?;
    Ok(ports.help_redirects.page(organization, page).await?)
}

/// `/help-redirects/create`: leads a path, and all that led there, to another one.
pub async fn create(
    ports: &Ports,
    caller: Caller,
    redirect: Move,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    let organization = caller.manage(Kind::HelpRedirect)?;
    let redirect = &redirect;
    write::make_with(ports, caller, Unnamed, repeat, |id, _, at| async move {
        let Move { from, to } = redirect.clone();
        if !beginning(ports, organization, vec![from.clone()]).await?.is_empty() {
            return Err(Error::Refused(Precondition::PathTaken));
        }
        // One step, unless redirects were imported.
        let mut way = vec![from.clone(), to];
        while let Some(next) =
            beginning(ports, organization, vec![way[way.len() - 1].clone()]).await?.pop()
        {
            if way.contains(&next.to_path) {
                return Err(Error::Refused(Precondition::RedirectCircle));
            }
            way.push(next.to_path);
        }
        let to = way.swap_remove(way.len() - 1);
        let leading = ports.help_redirects.leading_to(organization, vec![from.clone()]).await?;
        let mut redirects = Redirects::new(leading);
        redirects.lead(&from, &to);
        let then = redirects.steps(at);
        let record = HelpRedirect { id: id.into(), from_path: from, to_path: to, created_at: at };
        Ok(Decided { then, ..record.into() })
    })
    .await
}

/// `/help-redirects/delete`
pub async fn delete(
    ports: &Ports,
    caller: Caller,
    id: HelpRedirectId,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    let organization = caller.manage(Kind::HelpRedirect)?;
    let repeat = repeat.as_ref();
    once(ports, organization, (Kind::HelpRedirect, id.0), repeat, |_| async move {
        let redirect: HelpRedirect = write::any(ports, organization, id.0).await?;
        let steps = vec![Step::remove(redirect)];
        let round = Changing::new(ports, caller, repeat, ports.clock.now());
        round.record(steps, WriteResult::Success, |_| None).await
    })
    .await
}

/// The path that takes the place of another one in the portal. `None` if a page is there, if nothing
/// is known of it, or if it led to a page of the help center that is not shown.
///
/// A path in a collection or category that has moved is that of the present one. If no redirect
/// leads further, an article is known by its slug, or by one that it had.
pub async fn resolve(
    ports: &Ports,
    organization: OrganizationId,
    path: Path,
) -> Result<Option<Path>, Error> {
    if is_page(ports, organization, &path).await? {
        return Ok(None);
    }
    // A path leads to another one through each collection and category that has moved. Redirects
    // that were imported or made may lead in a circle through these.
    let mut way = vec![path];
    while let Some(next) = next(ports, organization, &way[way.len() - 1]).await?
        && !way.contains(&next)
        && way.len() < LONGEST
    {
        if is_page(ports, organization, &next).await? {
            return Ok(Some(next));
        }
        way.push(next);
    }
    let has_begun = way.len() > 1;
    let Some(end) = way.pop() else { return Ok(None) };
    let article = match end.slug_of_article() {
        Some(slug) => article(ports, organization, slug).await?,
        None => None,
    };
    // The address of a page that is not shown stays unknown.
    let is_known = has_begun && !end.is_in_help_center();
    Ok(article.or(is_known.then_some(end)))
}

/// The address of the article that has a slug, or had it.
async fn article(
    ports: &Ports,
    organization: OrganizationId,
    slug: Slug,
) -> Result<Option<Path>, Error> {
    let kind = Kind::HelpArticle;
    let address = page_of(ports, organization, kind, &slug).await?;
    if address.is_some() {
        return Ok(address);
    }
    let redirect = beginning(ports, organization, vec![Path::of_slug(&slug)]).await?.pop();
    let Some(HelpRedirect { to_path, .. }) = redirect else { return Ok(None) };
    match to_path.slug_of_article() {
        Some(slug) => page_of(ports, organization, kind, &slug).await,
        None => Ok((!to_path.is_in_help_center()).then_some(to_path)),
    }
}

/// The most redirects that a path follows.
const LONGEST: usize = 16;

/// Where a redirect leads from a path, or from the beginning of the path that is the address of a
/// page.
async fn next(
    ports: &Ports,
    organization: OrganizationId,
    path: &Path,
) -> Result<Option<Path>, Error> {
    let known = beginning(ports, organization, path.with_parents()).await?;
    let longest = known.into_iter().max_by_key(|it| it.from_path.as_str().len());
    Ok(longest.and_then(|it| path.moved(&it.from_path, &it.to_path)))
}

/// The redirects that begin at paths.
pub(crate) async fn beginning(
    ports: &Ports,
    organization: OrganizationId,
    paths: Vec<Path>,
) -> Result<Vec<HelpRedirect>, Error> {
    let kind = Kind::HelpRedirect;
    let names = paths.into_iter().map(String::from).collect();
    let found = ports.records.named(organization, kind, Name::FromPath, names).await?;
    let keys: Vec<Key> = found.into_iter().map(|(_, id)| (kind, id)).collect();
    if keys.is_empty() {
        return Ok(vec![]);
    }
    let known = ports.records.load(organization, keys.clone()).await?;
    Ok(keys.iter().filter_map(|(_, id)| known.any::<HelpRedirect>(*id).cloned()).collect())
}

/// The present slug of the post or entry at a former address. `None` if no redirect leads from there
/// to another one.
pub(crate) async fn present(
    ports: &Ports,
    organization: OrganizationId,
    former: Path,
) -> Result<Option<Slug>, Error> {
    let redirect = beginning(ports, organization, vec![former]).await?.pop();
    Ok(redirect.and_then(|it| it.to_path.slug_at_root()))
}

/// Whether a path is the address of a page of the help center.
async fn is_page(ports: &Ports, organization: OrganizationId, path: &Path) -> Result<bool, Error> {
    let slugs = path.slugs();
    let Some(Ok(slug)) = slugs.last().map(|slug| Slug::parse(slug)) else { return Ok(false) };
    for kind in kinds_of_pages(slugs.len()) {
        let found = page_of(ports, organization, *kind, &slug).await?;
        if found.as_ref() == Some(path) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The address of the page of a kind that has a slug.
async fn page_of(
    ports: &Ports,
    organization: OrganizationId,
    kind: Kind,
    slug: &Slug,
) -> Result<Option<Path>, Error> {
    let found = ports.records.named(organization, kind, Name::Slug, vec![slug.key()]).await?;
    let Some((_, id)) = found.into_iter().next() else { return Ok(None) };
    let known = ports.records.load(organization, vec![(kind, id)]).await?;
    let Some(page) = known.get((kind, id)).filter(|page| is_shown(page)) else { return Ok(None) };
    let above = above(ports, organization, place(page).into_iter().collect()).await?;
    Ok(Path::of(page, &above))
}

/// Whether a page is active, and published if it is an article.
fn is_shown(page: &Record) -> bool {
    match page {
        Record::HelpArticle(article) => article.is_out(),
        page => page.is_active(),
    }
}

/// The collection or category that a page is in.
pub(crate) fn place(page: &Record) -> Option<Key> {
    match page.parent() {
        Some(Parent::Record(kind, id)) => Some((kind, id)),
        _ => None,
    }
}

/// These collections and categories, and the collections of these categories.
pub(crate) async fn above(
    ports: &Ports,
    organization: OrganizationId,
    mut keys: Vec<Key>,
) -> Result<Known, Error> {
    let mut known = Known::default();
    while !keys.is_empty() {
        keys.sort_unstable();
        keys.dedup();
        let found = ports.records.load(organization, keys.clone()).await?;
        keys = keys.into_iter().filter_map(|key| place(found.get(key)?)).collect();
        known = known.with(found);
    }
    Ok(known)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write::tests::{CALLER, id, mocks};
    use hearback_domain::record::OfKind;
    use hearback_domain::{Time, Uuid};
    use hearback_ports::mock::Mocks;
    use hearback_ports::{Change, Recorded};

    fn redirect(n: u128, from: &str, to: &str) -> HelpRedirect {
        let [from_path, to_path] = [from, to].map(|it| Path::parse(it).unwrap());
        HelpRedirect { id: id(n), from_path, to_path, created_at: Time::MIN }
    }

    /// Mocks of a store with these redirects.
    fn storing(stored: Vec<HelpRedirect>) -> Mocks {
        let mut mocks = mocks();
        let known = Known::new(stored.clone().into_iter().map(Record::HelpRedirect));
        mocks.records.expect_load().returning(move |_, _| Ok(known.clone()));
        let all = stored.clone();
        mocks.records.expect_named().returning(move |_, _, _, names| {
            let found =
                all.iter().filter(|it| names.iter().any(|it_is| it_is == it.from_path.as_str()));
            Ok(found.map(|it| (it.from_path.as_str().to_owned(), it.id.0)).collect())
        });
        mocks.help_redirects.expect_leading_to().returning(move |_, paths| {
            Ok(stored.iter().filter(|it| paths.contains(&it.to_path)).cloned().collect())
        });
        mocks
    }

    async fn create_in(mocks: Mocks, from: &str, to: &str) -> Result<(), Error> {
        let HelpRedirect { from_path: from, to_path: to, .. } = redirect(0, from, to);
        create(&mocks.ports(), CALLER, Move { from, to }, None).await.map(drop)
    }

    #[tokio::test]
    async fn a_path_that_is_redirected_and_a_circle_are_refused() {
        // The store has a chain, which an import brought.
        let stored = || vec![redirect(2, "/a", "/b"), redirect(3, "/b", "/c")];
        let taken = create_in(storing(stored()), "/a", "/d").await;
        assert!(matches!(taken, Err(Error::Refused(Precondition::PathTaken))));
        let circle = create_in(storing(stored()), "/c", "/a").await;
        assert!(matches!(circle, Err(Error::Refused(Precondition::RedirectCircle))));
    }

    #[tokio::test]
    async fn a_redirect_leads_to_the_end_and_is_followed_by_those_that_led_to_its_beginning() {
        let stored =
            vec![redirect(2, "/z", "/a"), redirect(3, "/b", "/c"), redirect(4, "/c", "/d")];
        let mut mocks = storing(stored);
        let leads = |change: &Change| {
            let written =
                change.steps.iter().filter_map(Step::after).filter_map(HelpRedirect::of_record);
            written
                .map(|it| [it.from_path.clone(), it.to_path.clone()].map(String::from))
                .collect::<Vec<_>>()
        };
        mocks
            .records
            .expect_apply()
            .once()
            .withf(move |_, change| leads(change) == [["/a", "/d"], ["/z", "/d"]])
            .returning(|_, _| Ok(Recorded::Done));
        mocks.records.expect_next_follow_up().returning(|_, _| Ok(None));
        create_in(mocks, "/a", "/b").await.unwrap();
    }

    #[tokio::test]
    async fn a_redirect_to_the_beginning_of_one_that_is_made_meanwhile_is_decided_anew() {
        let mut mocks = storing(vec![]);
        let mut answers = [Recorded::Stale, Recorded::Done].into_iter();
        mocks.records.expect_apply().times(2).returning(move |_, _| Ok(answers.next().unwrap()));
        mocks.records.expect_next_follow_up().returning(|_, _| Ok(None));
        create_in(mocks, "/a", "/b").await.unwrap();
    }

    #[tokio::test]
    async fn a_former_address_of_an_article_that_is_not_shown_leads_nowhere() {
        let stored = vec![
            redirect(2, "/help/*/first", "/help/*/second"),
            redirect(3, "/guide", "/help/*/second"),
            redirect(4, "/help/a/former", "/help/a/present"),
        ];
        let organization = OrganizationId(Uuid::from_u128(1));
        let ports = storing(stored).ports();
        for path in ["/help/a/first", "/guide", "/help/a/former"] {
            let end = resolve(&ports, organization, Path::parse(path).unwrap()).await.unwrap();
            assert_eq!(end, None, "{path}");
        }
    }

    #[tokio::test]
    async fn a_path_ends_in_spite_of_a_circle() {
        let stored = vec![redirect(2, "/a", "/b"), redirect(3, "/b", "/a")];
        let organization = OrganizationId(Uuid::from_u128(1));
        let ports = storing(stored).ports();
        let end = resolve(&ports, organization, Path::parse("/a").unwrap()).await.unwrap();
        assert_eq!(end.map(String::from).as_deref(), Some("/b"));
    }
}
