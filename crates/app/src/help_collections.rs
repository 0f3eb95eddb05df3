//! `/help-collections/…`

use crate::content::{self, Content, DeleteWithContent};
use crate::crud::edit_and_follow;
use crate::effects::Tried;
use crate::help_categories::{articles, help_effects};
use crate::once::Repeat;
use crate::{Caller, Error, Missing, Precondition, write};
use hearback_domain::follow_up::FollowUp;
use hearback_domain::help_category::HelpCategory;
use hearback_domain::help_collection::{CollectionDetails, HelpCollection};
use hearback_domain::id::HelpCollectionId;
use hearback_domain::record::{Key, Kind, OfKind, Parent, Step};
use hearback_ports::Ports;
use hearback_ports::page::{ByPosition, Page, PageRequest};

/// `/help-collections/list`: the active collections, by position, then by name.
pub async fn list(
    ports: &Ports,
    caller: Caller,
    page: PageRequest<ByPosition>,
) -> Result<Page<CollectionDetails, ByPosition>, Error> {
    let organization = caller.view(Kind::HelpCollection)?;
    Ok(ports.help_collections.page(organization, page).await?)
}

/// `/help-collections/retrieve`: an active collection.
pub async fn retrieve(
    ports: &Ports,
    caller: Caller,
    id: HelpCollectionId,
) -> Result<CollectionDetails, Error> {
    let organization = caller.view(Kind::HelpCollection)?;
    ports
        .help_collections
        .find(organization, id)
        .await?
        .ok_or(Error::NotFound(Missing::Record(Kind::HelpCollection)))
}

/// `/help-collections/delete`: the categories and articles of the collection move to the end of
/// another one, or are deleted, or the collection must have no articles. Then its categories are
/// deleted.
pub async fn delete(
    ports: &Ports,
    caller: Caller,
    DeleteWithContent { id, content, dry_run }: DeleteWithContent<HelpCollectionId>,
    repeat: Option<Repeat>,
) -> Result<Tried, Error> {
    let organization = caller.manage(Kind::HelpCollection)?;
    let within = Parent::Record(Kind::HelpCollection, id.0);
    let categories = || ports.records.siblings(organization, Kind::HelpCategory, within);
    let moved = move |to: HelpCollectionId| FollowUp::Replace {
        key: (Kind::HelpCollection, id.0),
        by: Some(to.0),
    };
    let rule = |collection: HelpCollection| async move {
        let member = "move_to_collection_id";
        let decided =
            content.delete::<_, HelpCollection>(ports, caller, collection, member, moved).await;
        let mut decided = decided?;
        if content == Content::Refuse {
            let keys = categories().await?.into_iter().map(|id| (Kind::HelpCategory, id));
            let keys: Vec<Key> = keys.collect();
            let known = ports.records.load(organization, keys.clone()).await?;
            let known = keys.iter().filter_map(|key| known.active::<HelpCategory>(key.1));
            let at = ports.clock.now();
            for category in known.filter(|category| category.collection_id == id) {
                let deleted = category.clone().deleted();
                decided.then.push(Step::edit(category.clone(), deleted, at));
                decided.unused.push((Kind::HelpCategory, category.id.0));
            }
        }
        Ok(decided)
    };
    if !dry_run {
        let deleted = edit_and_follow(ports, caller, id, repeat, rule).await.map(Tried::Did);
        return deleted.map_err(|error| match error {
            Error::Refused(Precondition::CategoryHasArticles) => {
                Error::Refused(Precondition::CollectionHasArticles)
            }
            error => error,
        });
    }
    rule(write::find(ports, caller, id).await?).await?;
    let categories = categories().await?;
    let direct = (Kind::HelpArticle, "collection_id");
    let mut count = content::count(ports, caller, direct, id.0).await?;
    for &category in &categories {
        count += articles(ports, caller, category).await?;
    }
    if content == Content::Refuse && count > 0 {
        return Err(Error::Refused(Precondition::CollectionHasArticles));
    }
    let categories = categories.len() as i64;
    let categories = match content {
        // The empty ones are deleted with the collection.
        Content::Refuse => (0, categories),
        content => content.split(categories),
    };
    Ok(Tried::Would(help_effects(categories, content.split(count))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::Content;
    use crate::write::tests::{CALLER, id, mocks};
    use hearback_domain::Time;
    use hearback_domain::position::Position;
    use hearback_domain::record::Known;
    use hearback_domain::slug::Slug;
    use hearback_ports::Recorded;

    fn category(n: u128, collection: u128) -> HelpCategory {
        HelpCategory {
            id: id(n),
            collection_id: id(collection),
            name: String::new(),
            slug: Slug::parse("basics").unwrap(),
            description: None,
            icon: None,
            color: None,
            seq_number: Position::START,
            external_id: None,
            is_active: true,
            created_at: Time::MIN,
            updated_at: Time::MIN,
        }
    }

    fn collection() -> HelpCollection {
        HelpCollection {
            id: id(2),
            name: String::new(),
            slug: Slug::parse("guides").unwrap(),
            description: String::new(),
            icon: String::new(),
            color: String::new(),
            seq_number: Position::START,
            external_id: None,
            is_active: true,
            created_at: Time::MIN,
            updated_at: Time::MIN,
        }
    }

    #[tokio::test]
    async fn a_collection_takes_its_empty_categories_with_it_and_none_that_moved_meanwhile() {
        for (recorded, expected) in [
            (Recorded::Done, Ok(())),
            (
                Recorded::InUse((Kind::HelpCategory, id(3))),
                Err(Error::Refused(Precondition::CollectionHasArticles).to_string()),
            ),
        ] {
            let mut mocks = mocks();
            mocks.records.expect_siblings().returning(|_, _, _| Ok(vec![id(3), id(4)]));
            mocks.records.expect_load().returning(|_, _| {
                let categories = [category(3, 2), category(4, 9)].map(OfKind::into_record);
                Ok(Known::new(categories.into_iter().chain([collection().into_record()])))
            });
            mocks.records.expect_next_follow_up().returning(|_, _| Ok(None));
            mocks
                .records
                .expect_apply()
                .once()
                .withf(|_, change| {
                    let deleted = change.steps.iter().filter_map(Step::after).map(|it| it.id());
                    let unused = [(Kind::HelpCollection, id(2)), (Kind::HelpCategory, id(3))];
                    deleted.eq([id::<hearback_domain::Uuid>(2), id(3)]) && change.unused == unused
                })
                .returning(move |_, _| Ok(recorded));
            let input = DeleteWithContent { id: id(2), content: Content::Refuse, dry_run: false };
            let deleted = delete(&mocks.ports(), CALLER, input, None).await;
            assert_eq!(deleted.map(drop).map_err(|error| error.to_string()), expected);
        }
    }
}
