//! `/categories/list`

use super::CategoryView;
use crate::answer::{self, Answer};
use crate::call::Call;
use hearback_app::categories;

/// `/categories/list`
pub(crate) async fn list(Call { api, organization, .. }: Call<()>) -> Answer {
    let categories = categories::list(&api.ports, organization).await?;
    answer::array::<CategoryView<'_>, _>(&categories)
}
