//! `/categories/…`

use crate::crud::edit_and_follow;
use crate::once::{Outcome, Repeat};
use crate::write::{self, Decided};
use crate::{Caller, Error};
use hearback_domain::category::Category;
use hearback_domain::follow_up::FollowUp;
use hearback_domain::id::CategoryId;
use hearback_domain::record::{Kind, OfKind};
use hearback_ports::Ports;

/// `/categories/list`: the active categories, by name.
pub async fn list(ports: &Ports, caller: Caller) -> Result<Vec<Category>, Error> {
    let organization = caller.view(Kind::Category)?;
    Ok(ports.whole_lists.categories(organization).await?)
}

/// A category, and the one that its posts get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeleteCategory {
    /// The category.
    pub id: CategoryId,
    /// The category that its posts get. `None`: they have none.
    pub replacement: Option<CategoryId>,
}

/// `/categories/delete`
pub async fn delete(
    ports: &Ports,
    caller: Caller,
    DeleteCategory { id, replacement }: DeleteCategory,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    edit_and_follow(ports, caller, id, repeat, move |category: Category| async move {
        if let Some(replacement) = replacement {
            write::find::<Category>(ports, caller, replacement).await?;
        }
        let key = (Kind::Category, category.id.0);
        let need = |by| write::need("replacement_category_id", Kind::Category, by);
        Ok(Decided {
            follow_ups: vec![FollowUp::Replace { key, by: replacement.map(Into::into) }],
            needs: replacement.map(need).into_iter().collect(),
            ..category.deleted().into()
        })
    })
    .await
}
