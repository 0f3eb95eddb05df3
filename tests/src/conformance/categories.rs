//! `CategoryRepository`

#![expect(missing_docs, reason = "the name of a case says what it proves")]

use super::{AWKWARD, Stage};
use crate::build::Tenant;
use crate::system::fresh;
use hearback_domain::category::Category;

pub async fn categories_are_listed_by_name_in_code_points_then_by_id(stage: Stage) {
    let mut acme = Tenant::new();
    let named = |name: &&str| Category { name: (*name).to_owned(), ..acme.category() };
    acme.add_backwards([AWKWARD; 3].as_flattened().iter().map(named).collect());
    let acme = acme.import(&stage.ports).await;
    let mut expected = acme.all::<Category>();
    expected.sort_by(|a, b| (&a.name, a.id).cmp(&(&b.name, b.id)));
    assert_eq!(stage.ports.categories.list(acme.id()).await.unwrap(), expected);
}

pub async fn a_category_is_found_as_it_was_written(stage: Stage) {
    let mut acme = Tenant::new();
    let plain = acme.add(acme.category());
    let rich = acme.add(Category {
        name: "Größe 😀".to_owned(),
        description: Some(String::new()),
        color: "#ABCDEF12".to_owned(),
        show_on_feedback: false,
        show_on_roadmap: true,
        ..acme.category()
    });
    let acme = acme.import(&stage.ports).await;
    for category in [plain, rich] {
        assert_eq!(
            stage.ports.categories.find(acme.id(), category.id).await.unwrap(),
            Some(category)
        );
    }
}

pub async fn inactive_categories_are_neither_listed_nor_found(stage: Stage) {
    let mut acme = Tenant::new();
    let deleted = acme.add(Category { is_active: false, ..acme.category() });
    let kept = acme.add(acme.category());
    let acme = acme.import(&stage.ports).await;
    assert_eq!(stage.ports.categories.list(acme.id()).await.unwrap(), [kept]);
    assert_eq!(stage.ports.categories.find(acme.id(), deleted.id).await.unwrap(), None);
}

pub async fn another_organizations_categories_are_as_unknown_ones(stage: Stage) {
    let mut acme = Tenant::new();
    let category = acme.add(acme.category());
    acme.import(&stage.ports).await;
    let globex = Tenant::new().import(&stage.ports).await;
    assert_eq!(stage.ports.categories.list(globex.id()).await.unwrap(), []);
    assert_eq!(stage.ports.categories.list(fresh()).await.unwrap(), []);
    assert_eq!(stage.ports.categories.find(globex.id(), category.id).await.unwrap(), None);
    assert_eq!(stage.ports.categories.find(globex.id(), fresh()).await.unwrap(), None);
}
