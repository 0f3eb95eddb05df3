//! Free names for new records.

use hearback_domain::id::OrganizationId;
use hearback_domain::record::Kind;
use hearback_domain::slug::{Code, NumberSearch, Slug};
use hearback_ports::records::Name;
use hearback_ports::{Ports, StoreError, Unique};

/// A name that gets a number if it is taken.
pub trait Derived: Clone + Sync {
    /// The kind of name.
    const NAME: Name;
    /// The rule that keeps the name unique.
    const UNIQUE: Unique;

    /// The name with a number.
    fn numbered(&self, number: u64) -> Self;

    /// The form in which names are compared. `None` if the record has no name.
    fn key(&self) -> Option<String>;
}

/// The name of a record without a name.
#[derive(Clone, Copy)]
pub(crate) struct Unnamed;

impl Derived for Unnamed {
    const NAME: Name = Name::ExternalId;
    const UNIQUE: Unique = Unique::ExternalId;

    fn numbered(&self, _: u64) -> Self {
        Self
    }

    fn key(&self) -> Option<String> {
        None
    }
}

impl Derived for Slug {
    const NAME: Name = Name::Slug;
    const UNIQUE: Unique = Unique::Slug;

    fn numbered(&self, number: u64) -> Self {
        self.numbered(number)
    }

    fn key(&self) -> Option<String> {
        Some(self.key())
    }
}

impl Derived for Code {
    const NAME: Name = Name::Code;
    const UNIQUE: Unique = Unique::Code;

    fn numbered(&self, number: u64) -> Self {
        self.numbered(number)
    }

    fn key(&self) -> Option<String> {
        Some(self.as_str().to_owned())
    }
}

/// The name for an attempt to make a record. The first attempt takes `base` without a look-up,
/// since it is nearly always free and the store refuses it if not. So does every attempt if there
/// is no name. A later attempt takes `base` if it is free, or else the first free number.
pub(crate) async fn candidate<N: Derived>(
    ports: &Ports,
    organization: OrganizationId,
    kind: Kind,
    base: &N,
    attempt: u32,
) -> Result<N, StoreError> {
    if attempt == 1 || base.key().is_none() {
        return Ok(base.clone());
    }
    let mut search = NumberSearch::default();
    loop {
        if let Some(number) = search.found() {
            return Ok(base.numbered(number));
        }
        let questions = search.questions();
        // Each query has the name itself, too: that costs nothing, and the name may be free.
        let names = questions.iter().map(|number| base.numbered(*number).key());
        let names = names.chain([base.key()]).flatten().collect();
        let taken = ports.records.named(organization, kind, N::NAME, names).await?;
        let is_taken = |name: &N| {
            let key = name.key();
            taken.iter().any(|(taken, _)| key.as_ref() == Some(taken))
        };
        if !is_taken(base) {
            return Ok(base.clone());
        }
        let is_taken = |number: &u64| is_taken(&base.numbered(*number));
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
            .records
            .expect_named()
            .withf(|of, kind, name, _| {
                (*of, *kind, *name) == (ORGANIZATION, Kind::HelpArticle, Name::Slug)
            })
            .returning(move |_, _, _, mut names| {
                names.retain(|name| taken(name));
                Ok(names.into_iter().map(|name| (name, Uuid::nil())).collect())
            });
        let base = Slug::parse("Dark-Mode").unwrap();
        candidate(&mocks.ports(), ORGANIZATION, Kind::HelpArticle, &base, attempt)
            .await
            .unwrap()
            .into()
    }

    #[tokio::test]
    async fn the_first_attempt_takes_the_name_unseen() {
        let base = Code::parse("dark-mode").unwrap();
        let code = candidate(&Mocks::default().ports(), ORGANIZATION, Kind::Tag, &base, 1).await;
        assert_eq!(code.unwrap(), base);
    }

    #[tokio::test]
    async fn later_attempts_look_for_the_first_free_number() {
        assert_eq!(found(|_| false, 2).await, "Dark-Mode");
        assert_eq!(found(|name| name == "dark-mode", 2).await, "Dark-Mode-2");
        let numbered = |name: &str| {
            name == "dark-mode" || name[10..].parse::<u64>().is_ok_and(|number| number <= 50)
        };
        assert_eq!(found(numbered, 3).await, "Dark-Mode-51");
    }
}
