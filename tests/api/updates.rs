//! The behaviour that all updates share: `/…/update`.

use crate::support::{Draft, ENDPOINTS, Endpoint, Field, Organization, Store, error, id};
use rstest::rstest;
use serde_json::{Value, json};

/// A time long ago, so that a later `updated_at` differs even if it has no fraction.
const OLD: &str = "2020-01-02T03:04:05";

/// A resource that has an update.
struct Resource {
    path: &'static str,
    field: &'static str,
    /// The member that has any text.
    text: &'static str,
    draft: fn(&mut Draft, Value) -> String,
    members: Value,
}

fn resources() -> Vec<Resource> {
    let (created_at, updated_at, description) = (OLD, OLD, "All of it");
    let collection = json!({"description": description, "icon": "book", "color": "#abc",
        "created_at": created_at, "updated_at": updated_at});
    let old = json!({"created_at": created_at, "updated_at": updated_at});
    let post = json!({"description": description, "created_at": created_at,
        "updated_at": updated_at});
    let resource =
        |path, field, text, draft, members| Resource { path, field, text, draft, members };
    let resources = vec![
        resource("/categories", "category_id", "name", Draft::category, json!({"code": "night"})),
        resource("/changelog", "entry_id", "title", published_entry, old.clone()),
        resource("/comments", "comment_id", "content", comment, old.clone()),
        resource("/feedback-boards", "board_id", "name", Draft::board, json!({})),
        resource("/feedback-posts", "post_id", "title", Draft::post, post.clone()),
        resource("/help-articles", "article_id", "title", article, old.clone()),
        resource(
            "/help-categories",
            "category_id",
            "name",
            Draft::help_category,
            collection.clone(),
        ),
        resource("/help-collections", "collection_id", "name", Draft::collection, collection),
        resource("/labels", "label_id", "name", Draft::label, json!({"code": "night"})),
        resource("/roadmap-boards", "roadmap_board_id", "name", Draft::roadmap_board, json!({})),
        resource("/roadmap-posts", "post_id", "title", Draft::roadmap_post, post),
        resource("/statuses", "status_id", "name", Draft::status, json!({"code": "night"})),
        resource("/tags", "tag_id", "name", Draft::tag, json!({"code": "night"})),
        resource("/users", "user_id", "name", user, json!({"created_at": OLD})),
        resource("/webhooks", "webhook_id", "description", Draft::webhook, json!({})),
    ];
    let mut all: Vec<&str> =
        ENDPOINTS.iter().filter_map(|endpoint| endpoint.path.strip_suffix("/update")).collect();
    all.sort_unstable();
    all.dedup();
    let here: Vec<&str> = resources.iter().map(|resource| resource.path).collect();
    assert_eq!(here, all, "each update is listed here");
    resources
}

fn user(draft: &mut Draft, members: Value) -> String {
    let mut members = members;
    members["avatar_url"] = "https://example.com/a.png".into();
    draft.user(members)
}

fn article(draft: &mut Draft, members: Value) -> String {
    let mut members = members;
    let collection = draft.collection(json!({}));
    members["collection_id"] = collection.into();
    members["content"] = "At last".into();
    draft.article(members)
}

fn published_entry(draft: &mut Draft, members: Value) -> String {
    let mut members = members;
    members["featured_image_url"] = "https://example.com/a.png".into();
    members["type"] = "new".into();
    members["content"] = "At last".into();
    members["status_code"] = "published".into();
    members["published_at"] = OLD.into();
    draft.entry(members)
}

fn comment(draft: &mut Draft, members: Value) -> String {
    let post = draft.post(json!({}));
    draft.comment(&post, members)
}

impl Resource {
    fn endpoint(&self, action: &str) -> &'static Endpoint {
        let path = format!("{}/{action}", self.path);
        ENDPOINTS.iter().find(|endpoint| endpoint.path == path).expect("an endpoint")
    }

    /// The fields of the update that name no record.
    fn fields(&self) -> Vec<Field> {
        let endpoint = self.endpoint("update");
        let ids: Vec<&str> = endpoint.ids().map(|field| field.name).collect();
        // No answer shows the company itself.
        let rules = ["clear", "expected_updated_at", "company"];
        let is_value = |field: &&Field| ![&rules[..], &ids].concat().contains(&field.name);
        endpoint.fields.iter().filter(is_value).copied().collect()
    }

    async fn retrieve(&self, acme: &Organization, id: &str) -> Value {
        let endpoint = self.endpoint("retrieve");
        acme.post(endpoint.path, endpoint.body(|_| id.to_owned())).await.expect(200)
    }

    /// Updates a record, and returns the updated record.
    async fn update(&self, acme: &Organization, id: &str, patch: &Value) -> Value {
        let mut body = patch.clone();
        body[self.field] = id.into();
        let answer = acme.post(&format!("{}/update", self.path), body).await;
        assert_eq!(answer.expect(200), json!({"success": true}), "{patch}");
        self.retrieve(acme, id).await
    }
}

/// Valid values of a field. They differ from the value of each record.
fn values(field: &str) -> Vec<Value> {
    let texts: &[&str] = match field {
        "name" | "title" | "content" => &["Ünï🙂", " x\n"],
        "eta" => &["2027-01-02T03:04:05.006Z"],
        "moderation_status_code" => &["pending", "accepted", "rejected", "spam"],
        "visibility_code" => &["internal"],
        "slug" => &["Start.Here~_-1", "..."],
        "description" | "icon" | "post_template" => &["", "é"],
        "color" => &["#ABC", "#abcd", "#012345", "#01234567"],
        "code" => &["dark_mode-1"],
        "external_id" => &["t-1 😀"],
        "email" => &["Kim+x@example.com"],
        "company_name" | "customer_status" | "locale" => &["é"],
        "avatar_url" | "featured_image_url" => &["https://example.com/i.png"],
        "details" => &["", "# Ünï"],
        "type" => &["fixed", "improvement"],
        "published_at" => &["2020-02-03T04:05:06.007Z"],
        "show_on_portal" => return vec![json!(false)],
        "excerpt" => &["", "é"],
        "is_favourite" => return vec![json!(true)],
        "notify" => return vec![json!(true)],
        "url" => &["https://hooks.example.com/?x=1#y", "HTTPS://example.com"],
        "event_types" => return vec![json!(["post.edited", "user.deleted"]), json!([])],
        "is_active" => return vec![json!(false)],
        "attributes" => return vec![json!({"a.b": "x", "n": 2.5, "t": true})],
        "is_subscribed" => return vec![json!(true)],
        "icon_url" => &["https://example.com/i.png"],
        "show_on_feedback"
        | "show_on_roadmap"
        | "is_public"
        | "is_voting_enabled"
        | "is_commenting_enabled"
        | "eta_is_public"
        | "show_post_dates" => return vec![json!(false)],
        "is_pinned" | "is_default_status" => return vec![json!(true)],
        "position" => return vec![json!(7)],
        "allowed_email_domains" => return vec![json!(["example.com", "b.org"])],
        "access_code" => &["signed_in", "team", "custom"],
        "post_moderation_code" | "comment_moderation_code" => &["first_post", "on"],
        "guest_code" => &["email", "anonymous"],
        "status_group_code" => &["in-progress", "completed", "closed"],
        other => panic!("no value for {other}"),
    };
    texts.iter().map(|text| json!(text)).collect()
}

#[rstest]
#[tokio::test]
async fn a_field_is_changed_alone_and_updated_at_with_it(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    for resource in resources() {
        let mut acme = Draft::new();
        let mut patches = Vec::new();
        for (field, value) in resource
            .fields()
            .iter()
            .flat_map(|field| values(field.name).into_iter().map(|value| (field.name, value)))
        {
            let mut members = resource.members.clone();
            members[resource.text] = id().into();
            if value == "accepted" {
                members["moderation_status_code"] = "spam".into();
            }
            if members.get("code").is_some() {
                members["code"] = id().into();
            }
            patches.push(((resource.draft)(&mut acme, members), field, value));
        }
        let acme = acme.open(store).await;
        for (id, field, value) in patches {
            let mut expected = resource.retrieve(&acme, &id).await;
            let updated = resource.update(&acme, &id, &json!({field: value})).await;
            let shown = if field == "details" { "content" } else { field };
            expected[shown] = value;
            if let Some(updated_at) = expected.get_mut("updated_at") {
                assert!(updated["updated_at"].as_str() > Some("2026"), "{field}: {updated}");
                *updated_at = updated["updated_at"].clone();
            }
            assert_eq!(updated, expected, "{}", resource.path);
        }
    }
}

#[rstest]
#[tokio::test]
async fn a_patch_that_changes_nothing_leaves_updated_at(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    for resource in resources() {
        let mut acme = Draft::new();
        let id = (resource.draft)(&mut acme, resource.members.clone());
        let acme = acme.open(store).await;
        let before = resource.retrieve(&acme, &id).await;
        let (mut nulls, mut same) = (json!({}), json!({}));
        for field in resource.fields() {
            nulls[field.name] = Value::Null;
            same[field.name] = before[field.name].clone();
        }
        let mut unknown = json!({"unknown": "x", "seq_number": "9.0000", "is_active": false});
        if resource.path == "/webhooks" {
            unknown["is_active"] = true.into();
        }
        for patch in [json!({}), unknown, nulls, same] {
            assert_eq!(resource.update(&acme, &id, &patch).await, before, "{patch}");
        }
    }
}

#[rstest]
#[tokio::test]
async fn a_slug_in_use_is_refused_with_a_plain_string(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let has_slug = |resource: &Resource| resource.fields().iter().any(|field| field.name == "slug");
    for resource in resources().into_iter().filter(has_slug) {
        let mut acme = Draft::new();
        let id = (resource.draft)(&mut acme, json!({"slug": "guides"}));
        (resource.draft)(&mut acme, json!({"slug": "Taken"}));
        let acme = acme.open(store).await;
        let before = resource.retrieve(&acme, &id).await;
        let body = json!({resource.field: id, "slug": "tAKEN", resource.text: "Other"});
        let answer = acme.post(&format!("{}/update", resource.path), body).await;
        assert_eq!(answer.expect(400), json!({"detail": "Slug already exists"}));
        assert_eq!(resource.retrieve(&acme, &id).await, before, "the update is refused as a whole");
        for slug in ["GUIDES", "taken-2"] {
            let updated = resource.update(&acme, &id, &json!({"slug": slug})).await;
            assert_eq!(updated["slug"], slug);
        }
    }
}

#[rstest]
#[tokio::test]
async fn an_update_of_a_record_with_updated_at_may_expect_it(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    for resource in resources() {
        let mut acme = Draft::new();
        let id = (resource.draft)(&mut acme, resource.members.clone());
        let acme = acme.open(store).await;
        let before = resource.retrieve(&acme, &id).await;
        let fields = &resource.endpoint("update").fields;
        let has_it = fields.iter().any(|field| field.name == "expected_updated_at");
        assert_eq!(has_it, before.get("updated_at").is_some(), "{}", resource.path);
        if !has_it {
            continue;
        }
        let mut patch = json!({"expected_updated_at": before["updated_at"]});
        patch[resource.text] = "Other".into();
        let updated = resource.update(&acme, &id, &patch).await;
        assert_eq!(updated[resource.text], "Other");
        // The second update would change nothing.
        patch[resource.field] = id.as_str().into();
        for expected in [&before["updated_at"], &json!("2999-01-01")] {
            patch["expected_updated_at"] = expected.clone();
            let answer = acme.post(&format!("{}/update", resource.path), patch.clone()).await;
            assert_eq!(answer.expect(400), error("the record was changed meanwhile"));
        }
        assert_eq!(resource.retrieve(&acme, &id).await, updated);
    }
}
