//! The history of the help center: a change keeps the former version of an article, and leaves
//! redirects from former addresses.

use crate::Error;
use crate::help_redirects::{above, beginning, place};
use hearback_domain::Time;
use hearback_domain::help_article_version::HelpArticleVersion;
use hearback_domain::help_redirect::{Move, Redirects};
use hearback_domain::id::OrganizationId;
use hearback_domain::record::{Key, Known, Step};
use hearback_ports::Ports;
use std::pin::Pin;

/// The steps that follow from `steps`, to be taken in the same change.
pub(crate) fn keep<'a>(
    ports: &'a Ports,
    organization: OrganizationId,
    steps: &'a mut [Step],
    at: Time,
) -> Pin<Box<dyn Future<Output = Result<Vec<Step>, Error>> + Send + 'a>> {
    Box::pin(kept(ports, organization, steps, at))
}

async fn kept(
    ports: &Ports,
    organization: OrganizationId,
    steps: &mut [Step],
    at: Time,
) -> Result<Vec<Step>, Error> {
    let mut kept = vec![];
    for step in &mut *steps {
        let fresh = || ports.ids.fresh().into();
        let Some(version) = HelpArticleVersion::superseded(step, fresh) else { continue };
        kept.extend(outlived(ports, organization, &version).await?.map(Step::remove));
        kept.push(Step::make(version));
    }
    kept.extend(redirected(ports, organization, steps, at).await?);
    Ok(kept)
}

/// The version that is removed once a version is superseded. A later version of the same day is
/// kept in its place.
async fn outlived(
    ports: &Ports,
    organization: OrganizationId,
    version: &HelpArticleVersion,
) -> Result<Option<HelpArticleVersion>, Error> {
    let Some(left) = version.oldest_left() else { return Ok(None) };
    let article = version.help_article_id;
    let two = ports.help_articles.versions(organization, article, left + 1, 2).await?;
    let Ok([later, earlier]) = <[_; 2]>::try_from(two) else { return Ok(None) };
    Ok((!earlier.is_last_of_day(&later)).then_some(earlier))
}

/// The steps that lead the former addresses of moved pages to the new ones.
async fn redirected(
    ports: &Ports,
    organization: OrganizationId,
    steps: &[Step],
    at: Time,
) -> Result<Vec<Step>, Error> {
    let Some(places) = places(steps) else { return Ok(vec![]) };
    let before = above(ports, organization, places).await?;
    let moves = moves(steps, &before);
    if moves.is_empty() {
        return Ok(vec![]);
    }
    let ends = moves.iter().flat_map(|it| [it.from.clone(), it.to.clone()]).collect();
    let mut stored = beginning(ports, organization, ends).await?;
    let former = moves.iter().map(|it| it.from.clone()).collect();
    stored.extend(ports.help_redirects.leading_to(organization, former).await?);
    let mut redirects = Redirects::new(stored);
    for it in &moves {
        redirects.follow(it, ports.ids.fresh().into(), at);
    }
    Ok(redirects.steps(at))
}

/// Where the pages that may move are, before and after. `None` if no page may move.
fn places(steps: &[Step]) -> Option<Vec<Key>> {
    let moving = Vec::from_iter(steps.iter().filter(|step| Move::is_by(step)));
    let pages = moving.iter().flat_map(|step| [step.before(), step.after()]).flatten();
    (!moving.is_empty()).then(|| pages.filter_map(place).collect())
}

/// The moves by steps. `before` has the places of the pages, which may change with them.
fn moves(steps: &[Step], before: &Known) -> Vec<Move> {
    let after = Known::new(steps.iter().filter_map(Step::after).cloned());
    let after = before.clone().with(after);
    let moving = steps.iter().filter(|step| Move::is_by(step));
    moving.flat_map(|step| Move::by(step, before, &after)).collect()
}
