//! Slugs for new records.

use hearback_domain::id::OrganizationId;
use hearback_domain::slug::{NumberSearch, Slug};
use hearback_ports::slugs::Slugged;
use hearback_ports::{Ports, StoreError};

/// The slug for a try to make a record: `base` at the first one, for it is nearly always free and the store says if it is not.
/// From the second on it is looked for: `base` where it is free, else with the first free number behind it.
pub(crate) async fn candidate(
    ports: &Ports,
    organization: OrganizationId,
    of: Slugged,
    base: &Slug,
    attempt: u32,
) -> Result<Slug, StoreError> {
    if attempt == 1 {
        return Ok(base.clone());
    }
    let mut search = NumberSearch::default();
    loop {
        if let Some(number) = search.found() {
            return Ok(base.numbered(number));
        }
        let questions = search.questions();
        // The slug itself is asked about each time: that costs nothing, and may be the answer.
        let candidates =
            questions.iter().map(|number| base.numbered(*number)).chain([base.clone()]).collect();
        let taken: Vec<String> = ports
            .slugs
            .taken(organization, of, candidates)
            .await?
            .into_iter()
            .map(|slug| slug.key())
            .collect();
        if !taken.contains(&base.key()) {
            return Ok(base.clone());
        }
        let is_taken = |number: &u64| taken.contains(&base.numbered(*number).key());
        search = search.answered(&questions.into_iter().filter(is_taken).collect::<Vec<_>>());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hearback_domain::Uuid;
    use hearback_ports::mock::Mocks;

    const ORGANIZATION: OrganizationId = OrganizationId(Uuid::from_u128(1));

    async fn found(taken: impl Fn(&str) -> bool + Send + Sync + 'static, attempt: u32) -> String {
        let mut mocks = Mocks::default();
        mocks
            .slugs
            .expect_taken()
            .withf(|of, kind, _| (*of, *kind) == (ORGANIZATION, Slugged::HelpArticle))
            .returning(move |_, _, mut candidates| {
                candidates.retain(|slug| taken(&slug.key()));
                Ok(candidates)
            });
        let base = Slug::parse("Dark-Mode").unwrap();
        candidate(&mocks.ports(), ORGANIZATION, Slugged::HelpArticle, &base, attempt)
            .await
            .unwrap()
            .into()
    }

    #[tokio::test]
    async fn the_first_try_takes_the_slug_unseen() {
        let base = Slug::parse("Dark-Mode").unwrap();
        let slug =
            candidate(&Mocks::default().ports(), ORGANIZATION, Slugged::HelpArticle, &base, 1)
                .await;
        assert_eq!(slug.unwrap(), base);
    }

    #[tokio::test]
    async fn later_tries_look_for_the_first_free_number() {
        assert_eq!(found(|_| false, 2).await, "Dark-Mode");
        assert_eq!(found(|slug| slug == "dark-mode", 2).await, "Dark-Mode-2");
        let numbered = |slug: &str| {
            slug == "dark-mode" || slug[10..].parse::<u64>().is_ok_and(|number| number <= 50)
        };
        assert_eq!(found(numbered, 3).await, "Dark-Mode-51");
    }
}
