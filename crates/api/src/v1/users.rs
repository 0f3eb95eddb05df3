//! `/users/…`

use crate::answer::Timestamp;
use crate::endpoint::Refusal::NotFound;
use crate::endpoint::{Endpoint, handler, read};
use crate::fault::Wrong;
use crate::fields::{Fields, Noted, string, uuid};
use hearback_app::{Missing, users};
use hearback_domain::Uuid;
use hearback_domain::user::{User, UserSelector};
use serde::Serialize;
use utoipa::ToSchema;

pub(crate) const TABLE: &[Endpoint] = &[read(
    "/users/retrieve",
    "Retrieve a user, by exactly one of user_id and email",
    handler!(object<UserView>: selector => users::retrieve),
)
.refusing(&[NotFound(Missing::User)])];

/// "Exactly one of `user_id` and `email` must be present."
fn selector(fields: &mut Fields<'_>) -> Result<UserSelector, Noted> {
    fields.exactly_one_of(&["user_id", "email"]);
    let user_id = fields.optional("user_id", uuid);
    let email = fields.optional("email", |value| match string(value)? {
        _ if !matches!(user_id, Ok(None)) => {
            Err(Wrong::Rule("user_id and email exclude each other"))
        }
        email => Ok(email),
    });
    match (user_id?, email?) {
        (Some(id), _) => Ok(UserSelector::Id(id.into())),
        (None, Some(email)) => Ok(UserSelector::Email(email)),
        (None, None) => Err(fields.fault("user_id", Wrong::Missing)),
    }
}

#[derive(Serialize, ToSchema)]
#[schema(as = User)]
pub(crate) struct UserView<'a> {
    id: Uuid,
    user_id: Uuid,
    email: &'a str,
    name: &'a str,
    avatar_url: &'a str,
    portal_role: &'a str,
    company_name: &'a str,
    customer_status: &'a str,
    created_at: Timestamp,
    is_subscribed: bool,
}

impl<'a> From<&'a User> for UserView<'a> {
    fn from(user: &'a User) -> Self {
        Self {
            id: user.id.0,
            user_id: user.user_id.0,
            email: &user.email,
            name: &user.name,
            avatar_url: &user.avatar_url,
            portal_role: &user.portal_role,
            company_name: &user.company_name,
            customer_status: &user.customer_status,
            created_at: user.created_at.into(),
            is_subscribed: user.is_subscribed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ORGANIZATION, call, id, mocks, time};
    use serde_json::{Value, json};

    fn user() -> User {
        User {
            id: id(1),
            user_id: id(2),
            email: "Ada@example.com".to_owned(),
            name: "Ada \"Countess\" Lovelace".to_owned(),
            avatar_url: "https://example.com/ada.png".to_owned(),
            portal_role: "end_user".to_owned(),
            company_name: String::new(),
            customer_status: "paying".to_owned(),
            is_subscribed: true,
            is_active: true,
            created_at: time("2026-03-01T09:30:00.5Z"),
        }
    }

    async fn found_by(selector: UserSelector, body: Value) {
        let mut mocks = mocks();
        mocks
            .users
            .expect_find()
            .withf(move |organization, by| (*organization, by) == (ORGANIZATION, &selector))
            .returning(|_, _| Ok(Some(user())));
        let expected = concat!(
            r#"{"id":"00000000-0000-0000-0000-000000000001","user_id":"00000000-0000-0000-0000-000000000002","#,
            r#""email":"Ada@example.com","name":"Ada \"Countess\" Lovelace","avatar_url":"https://example.com/ada.png","#,
            r#""portal_role":"end_user","company_name":"","customer_status":"paying","#,
            r#""created_at":"2026-03-01T09:30:00.500Z","is_subscribed":true}"#
        );
        assert_eq!(call(mocks, "/users/retrieve", body).await.shown(), (200, expected));
    }

    #[actix_web::test]
    async fn a_user_is_found_by_either_selector() {
        found_by(UserSelector::Id(id(2)), json!({"user_id": Uuid::from_u128(2)})).await;
        found_by(UserSelector::Id(id(2)), json!({"user_id": Uuid::from_u128(2), "email": null}))
            .await;
        found_by(
            UserSelector::Email("Ada@example.com".to_owned()),
            json!({"email": "Ada@example.com"}),
        )
        .await;
        found_by(UserSelector::Email(String::new()), json!({"user_id": null, "email": ""})).await;
    }

    #[actix_web::test]
    async fn a_user_who_is_not_linked_is_not_found() {
        let mut mocks = mocks();
        mocks.users.expect_find().returning(|_, _| Ok(None));
        let reply = call(mocks, "/users/retrieve", json!({"email": "ada@example.com"})).await;
        assert_eq!(reply.shown(), (404, r#"{"detail":{"error":"user not found"}}"#));
    }

    #[actix_web::test]
    async fn both_selectors_or_neither_is_422() {
        let missing = r#"{"detail":[{"type":"missing","loc":["body","user_id"],"msg":"Field required","input":null}]}"#;
        for body in [json!({}), json!({"user_id": null, "email": null})] {
            assert_eq!(call(mocks(), "/users/retrieve", body).await.shown(), (422, missing));
        }
        let exclusive = r#"{"type":"value_error","loc":["body","email"],"msg":"Value error, user_id and email exclude each other","input":"a"}"#;
        let body = json!({"user_id": Uuid::nil(), "email": "a"});
        assert_eq!(
            call(mocks(), "/users/retrieve", body).await.shown(),
            (422, &*format!(r#"{{"detail":[{exclusive}]}}"#))
        );
        let faulty = r#"{"type":"uuid_parsing","loc":["body","user_id"],"msg":"Input should be a valid UUID","input":"x"}"#;
        let body = json!({"user_id": "x", "email": "a"});
        assert_eq!(
            call(mocks(), "/users/retrieve", body).await.shown(),
            (422, &*format!(r#"{{"detail":[{faulty},{exclusive}]}}"#))
        );
    }
}
