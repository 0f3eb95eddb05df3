//! `/categories/retrieve`

use super::CategoryView;
use crate::answer::{self, Answer};
use crate::call::Call;
use crate::fields::ById;
use hearback_app::categories;
use hearback_domain::id::CategoryId;

/// `/categories/retrieve`
pub(crate) async fn retrieve(
    Call { api, organization, input: ById(id), .. }: Call<ById<CategoryId>>,
) -> Answer {
    let category = categories::retrieve(&api.ports, organization, id).await?;
    answer::object(&CategoryView::from(&category))
}
