//! The texts of forms whose session has ended or is another one.

use super::{Browser, Page, Portal};
use crate::support::{Draft, Store};
use rstest::rstest;
use serde_json::json;

const BOB: &str = "bob@example.com";
const TEXT: &str = "Long <b>\"words\"</b>\n\nÄ & ü";

/// A portal with a board, and a post and a comment of Bob's. Returns the paths of its forms, with
/// the place that has the text on their pages.
async fn portal(store: Store, settings: serde_json::Value) -> (Portal, Vec<Form>) {
    let mut acme = Draft::with(json!({"portal": settings}));
    acme.status(json!({"is_default_status": true}));
    let board = acme.board(json!({"slug": "ideas"}));
    let bob = acme.user(json!({"email": BOB, "name": "Bob"}));
    let own = acme.post(json!({"board_id": board, "slug": "own", "author_id": bob}));
    let comment = acme.comment(&own, json!({"author_id": bob}));
    let form = |path: &str, parent: &str, done| Form {
        path: path.to_owned(),
        done,
        page: path.strip_suffix("/comment").unwrap_or(path).to_owned(),
        parent: parent.to_owned(),
    };
    let forms = vec![
        form("/news/b/ideas/new", "", "?done=posted"),
        form("/news/p/own/comment", "", "?done=commented"),
        form("/news/p/own/comment", &comment, "?done=commented"),
        form("/news/p/own/edit", "", "?done=saved"),
        form(&format!("/news/p/own/c/{comment}"), "", "?done=saved"),
    ];
    (Portal::new(store, acme).await, forms)
}

#[derive(Clone)]
struct Form {
    path: String,
    page: String,
    parent: String,
    /// A part of the address to which its answer leads.
    done: &'static str,
}

impl Form {
    /// Sends the text, with the number that the form has.
    async fn send(&self, browser: &Browser, (number, token): (&str, &str)) -> Page {
        let fields = [
            ("title", "A title"),
            ("text", &self.text()),
            ("parent", &self.parent),
            ("nonce", number),
            ("form_token", token),
        ];
        browser.send(&self.path, &fields).await
    }

    /// A text that no other form has: the same one is taken once.
    fn text(&self) -> String {
        format!("{TEXT} {} {}", self.path, self.parent).trim_end().to_owned()
    }

    /// Whether the form has the text. It says to what it replies.
    fn has_text(&self, page: &Page) -> bool {
        let has = super::plain(&page.text).contains(&format!("{}</textarea>", self.text()));
        if has && !self.parent.is_empty() {
            assert_eq!(page.field("parent").as_deref(), Some(&*self.parent));
        }
        has
    }
}

fn draft_of(browser: &Browser) -> Option<String> {
    browser.cookies().into_iter().find(|(name, _)| name.ends_with("-draft")).map(|it| it.1)
}

fn sign_in_to(path: &str) -> String {
    format!("/news/sign-in?return_to={}", path.replace('/', "%2F"))
}

#[rstest]
#[tokio::test]
async fn what_was_typed_after_a_session_ended_is_in_the_form_behind_the_sign_in(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (portal, forms) = portal(store, json!({})).await;
    for form in &forms {
        let bob = portal.signed_in(BOB).await;
        let token = bob.form_token("/news").await;
        let number = bob.number(&form.path).await.expect("a number");
        bob.copy().post("/news/sign-out", &[]).await;

        let before = portal.acme.export().await;
        let page = form.send(&bob, (&number, &token)).await;
        assert_eq!(page.location(), sign_in_to(&form.path));
        let cookies = page.cookies();
        let [cookie] = &cookies[..] else { panic!("{cookies:?}") };
        for part in ["__Host-", "HttpOnly", "Secure", "SameSite=Lax", "Max-Age=3600"] {
            assert!(cookie.contains(part), "{part}: {cookie}");
        }
        assert!(!cookie.contains("Long"));
        let page = bob.get(&page.location()).await;
        assert!(page.text.contains("It is kept meanwhile."), "{}", page.text);
        assert_eq!(page.field("return_to").as_deref(), Some(&*form.path));
        // The first page to return to gives way to the form.
        let page = bob.get("/news/sign-in").await;
        assert_eq!(page.field("return_to").as_deref(), Some(&*form.path));

        let (_, letter) = portal.ask_at("/news", &bob, BOB, &form.path).await;
        let page = bob.post("/news/sign-in/code", &[("code", &letter.code)]).await;
        assert_eq!(page.location(), format!("{}?done=signed-in", form.path));
        assert_eq!(portal.acme.export().await, before);
        let landing = bob.get(&page.location()).await;
        if form.path != form.page {
            assert_eq!(landing.location(), format!("{}?done=signed-in#text", form.page));
        }
        // It is there as often as the page is loaded, and in this browser alone.
        for _ in 0..2 {
            assert!(form.has_text(&bob.get(&form.page).await), "{}", form.path);
        }
        let other = portal.signed_in(BOB).await;
        assert!(!form.has_text(&other.get(&form.page).await), "{}", form.path);

        let page = bob.get(&form.page).await;
        let number = page.field("nonce").expect("a number");
        let page = form.send(&bob, (&number, &page.form_token())).await;
        assert!(page.location().contains(form.done), "{}: {}", form.path, page.location());
        assert_eq!(draft_of(&bob), None);
        assert_ne!(portal.acme.export().await, before);
    }
}

#[rstest]
#[tokio::test]
async fn a_form_of_a_former_session_is_shown_again_with_what_was_typed(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (portal, forms) = portal(store, json!({})).await;
    for form in &forms {
        let bob = portal.signed_in(BOB).await;
        let number = bob.number(&form.path).await.expect("a number");
        let token = portal.signed_in(BOB).await.form_token("/news").await;
        let before = portal.acme.export().await;
        let page = form.send(&bob, (&number, &token)).await;
        assert_eq!(page.location(), format!("{}?done=again", form.path));
        assert_eq!(portal.acme.export().await, before);
        let mut page = bob.get(&page.location()).await;
        if page.status == 303 {
            let to = page.location();
            page = bob.get(to.strip_suffix("#text").expect("the form")).await;
        }
        assert!(page.text.contains("What you wrote is still here"), "{}", page.text);
        assert!(form.has_text(&page), "{}: {}", form.path, page.text);
        let number = page.field("nonce").expect("a number");
        let page = form.send(&bob, (&number, &page.form_token())).await;
        assert!(page.location().contains(form.done), "{}: {}", form.path, page.location());
    }
}

#[rstest]
#[tokio::test]
async fn what_was_typed_stays_at_its_own_form_and_goes_with_the_session(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (portal, forms) = portal(store, json!({})).await;
    let (new, edit) = (&forms[0], &forms[3]);
    let bob = portal.signed_in(BOB).await;
    assert_eq!(new.send(&bob, ("", "")).await.location(), "/news/b/ideas/new?done=again");
    assert!(!edit.has_text(&bob.get(&edit.page).await));
    assert!(new.has_text(&bob.get(&new.page).await));
    let (name, draft) =
        bob.cookies().into_iter().find(|it| it.0.ends_with("-draft")).expect("a draft");
    assert_eq!(bob.post("/news/sign-out", &[]).await.location(), "/news/?done=signed-out");
    assert_eq!(draft_of(&bob), None);
    // Whoever has kept the token finds nothing.
    let other = portal.signed_in(BOB).await;
    for token in [&*draft, "", "x", &"A".repeat(43)] {
        other.keep(&name, token);
        let page = other.get(&new.page).await;
        assert!(page.status == 200 && !new.has_text(&page), "{token}");
    }
}

#[rstest]
#[tokio::test]
async fn a_private_portal_keeps_what_was_typed_and_tells_nobody_what_there_is(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (portal, forms) = portal(store, json!({"is_private": true})).await;
    for form in &forms {
        let bob = portal.signed_in(BOB).await;
        bob.copy().post("/news/sign-out", &[]).await;
        for path in
            [form.path.replace("own", "nothing").replace("ideas", "none"), form.path.clone()]
        {
            let form = Form { path, ..form.clone() };
            let page = form.send(&bob, ("", "")).await;
            assert_eq!((page.location(), &*page.text), (sign_in_to(&form.path), ""));
            assert_eq!(page.cookies().len(), 1);
        }
        let (_, letter) = portal.ask(&bob, BOB).await;
        assert_eq!(bob.post(&letter.link, &[]).await.status, 303);
        assert!(form.has_text(&bob.get(&form.page).await), "{}", form.path);
    }
}
