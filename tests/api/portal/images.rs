//! Images: uploads, the pages that show them, and those who try what they may not.

use super::{Browser, Page, Portal};
use crate::support::{Draft, Installation, Store};
use image::{ImageFormat, Rgb, RgbImage};
use reqwest::Method;
use rstest::rstest;
use serde_json::{Value, json};
use std::io::Cursor;

const ADA: &str = "ada@example.com";
const SVG: &[u8] = b"<svg xmlns=\"http://www.w3.org/2000/svg\" onload=\"alert(1)\"/>";

/// A photo of which no copy is larger.
fn photo(seed: u32) -> Vec<u8> {
    let picture = RgbImage::from_fn(400, 300, |x, y| {
        let mut noise = (x ^ y << 16 ^ seed << 8).wrapping_mul(2_654_435_761);
        noise = (noise ^ noise >> 15).wrapping_mul(2_246_822_519);
        Rgb([(noise >> 24) as u8, (noise >> 16) as u8, (noise >> 8) as u8])
    });
    let mut file = Cursor::new(Vec::new());
    picture.write_to(&mut file, ImageFormat::Png).expect("the picture is written");
    file.into_inner()
}

fn board() -> Draft {
    let mut draft = Draft::new();
    draft.status(json!({"is_default_status": true}));
    let board = draft.board(json!({"slug": "ideas"}));
    let author = draft.user(json!({}));
    draft.post(json!({"slug": "dark", "board_id": board, "author_id": author}));
    draft
}

impl Browser {
    /// Sends a form with a file, and with the token of the pages.
    async fn post_file(&self, path: &str, fields: &[(&str, &str)], file: &[u8]) -> Page {
        let token = self.form_token("/news").await;
        let number = self.number(path).await.unwrap_or_default();
        let own = [("form_token", &*token), ("nonce", &*number)];
        self.send_file(path, &[&own, fields].concat(), file).await
    }

    async fn send_file(&self, path: &str, fields: &[(&str, &str)], file: &[u8]) -> Page {
        let mut body = Vec::new();
        for (name, value) in fields {
            let head = format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n");
            body.extend_from_slice(format!("{head}{value}\r\n").as_bytes());
        }
        let head = "--x\r\nContent-Disposition: form-data; name=\"image\"; filename=\"My_plan.png\"\
                    \r\nContent-Type: image/png\r\n\r\n";
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(file);
        body.extend_from_slice(b"\r\n--x--\r\n");
        let kind = "multipart/form-data; boundary=x";
        self.request_of(Method::POST, path, Some((kind, body))).await
    }

    /// Uploads an image as the script does. Returns its address and its Markdown.
    async fn upload(&self, file: &[u8]) -> (String, String) {
        let page = self.post_file("/news/images", &[], file).await;
        assert_eq!(page.status, 200, "{}", page.text);
        let answer: Value = serde_json::from_str(&page.text).expect("JSON");
        let of = |name: &str| answer[name].as_str().expect("a text").to_owned();
        (of("url"), of("markdown"))
    }

    /// The type of an image, as browsers see it.
    async fn kind(&self, path: &str) -> (u16, String) {
        let page = self.get(path).await;
        (page.status, page.header("Content-Type"))
    }
}

#[rstest]
#[tokio::test]
async fn an_image_of_a_form_is_a_part_of_the_text_and_shown_with_its_size(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = Portal::new(store, board()).await;
    let ada = portal.signed_in(ADA).await;
    let fields = [("title", "A plan"), ("text", "See this.")];
    let page = ada.post_file("/news/b/ideas/new", &fields, &photo(1)).await;
    let post = page.location();
    let shown = portal.browser().get(post.split('?').next().unwrap()).await.text;
    let (_, image) = shown.split_once("<img src=\"/news/images/").expect("an image");
    let (digest, rest) = image.split_at(64);
    let (tag, _) = rest.split_once('>').unwrap();
    for part in
        ["width=\"400\" height=\"300\"", "alt=\"My plan\"", "loading=\"lazy\"", "?w=320 320w"]
    {
        assert!(tag.contains(part), "{tag}");
    }
    let path = format!("/news/images/{digest}");
    let stranger = portal.browser();
    assert_eq!(stranger.kind(&path).await, (200, "image/png".to_owned()));
    assert_eq!(stranger.kind(&format!("{path}?w=320")).await, (200, "image/jpeg".to_owned()));
    assert_eq!(stranger.get(&format!("{path}?w=321")).await.status, 404);
    assert_eq!(stranger.get(&format!("/news/images/{}", "0".repeat(64))).await.status, 404);
    let image = stranger.get(&path).await;
    for (name, value) in [
        ("X-Content-Type-Options", "nosniff"),
        ("Content-Security-Policy", "default-src 'none'; sandbox"),
        ("Content-Disposition", "inline"),
        ("Cache-Control", "public, max-age=31536000, immutable"),
        ("Cross-Origin-Resource-Policy", "cross-origin"),
    ] {
        assert_eq!(image.header(name), value, "{name}");
    }
    // The same picture in a comment, and in an edited post.
    let text = [("text", "Like this?")];
    assert_eq!(ada.post_file("/news/p/dark/comment", &text, &photo(1)).await.status, 303);
    let shown = stranger.get("/news/p/dark").await.text;
    assert!(shown.contains(digest), "{shown}");
}

#[rstest]
#[tokio::test]
async fn an_image_of_a_form_of_the_dashboard_is_a_part_of_its_text(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = Portal::new(store, board()).await;
    let member = portal.member("bob@example.com", "member").await;
    let path = "/news/dashboard/do/changelog/create";
    let form = member.get(path).await.text;
    assert!(form.contains("data-upload=\"/news/images\""), "{form}");
    assert!(!member.get("/news/dashboard/do/tags/create").await.text.contains("data-upload"));
    let typed = [("title", "Night"), ("details", "See this.")];
    let add = [&typed[..], &[("add", "image")]].concat();
    // The button adds the image, and saves nothing.
    let page = member.post_file(path, &add, &photo(1)).await;
    assert_eq!(page.status, 200, "{}", page.text);
    assert!(page.text.contains("See this.\n\n![My plan](/images/"), "{}", page.text);
    assert_eq!(page.field("title").as_deref(), Some("Night"));
    for refused in [member.post(path, &add).await, member.post_file(path, &typed, SVG).await] {
        assert_eq!(refused.status, 422, "{}", refused.text);
        assert!(refused.text.contains("id=\"image-fault\""), "{}", refused.text);
        assert!(refused.text.contains("See this."), "{}", refused.text);
    }
    let entries = async || portal.acme.post("/changelog/list", json!({})).await.expect(200);
    assert_eq!(entries().await["items"], json!([]));
    assert_eq!(member.post_file(path, &typed, &photo(1)).await.status, 303);
    let saved = entries().await["items"][0]["content"].as_str().expect("a text").to_owned();
    assert!(saved.starts_with("See this.\n\n![My plan](/images/"), "{saved}");
}

#[rstest]
#[tokio::test]
async fn a_form_keeps_what_was_typed_whatever_its_file_is(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = Portal::new(store, board()).await;
    let ada = portal.signed_in(ADA).await;
    let typed = [("title", "A plan"), ("text", "See <this>.")];
    let large = vec![0xff; 10 * 1024 * 1024 + 1];
    let larger = vec![0xff; 16 * 1024 * 1024];
    for (path, file) in [
        ("/news/b/ideas/new", SVG),
        ("/news/b/ideas/new", &photo(1)[..1_000]),
        ("/news/b/ideas/new", &large),
        ("/news/b/ideas/new", &larger),
        ("/news/p/dark/comment", SVG),
    ] {
        let page = ada.post_file(path, &typed, file).await;
        assert_eq!(page.status, 200, "{}", page.text);
        assert!(page.text.contains("id=\"image-fault\""), "{}", page.text);
        assert!(page.text.contains("See &#60;this&#62;."), "{}", page.text);
    }
    // The button adds the image, and sends nothing.
    let add = [&typed[..], &[("add", "image")]].concat();
    let page = ada.post_file("/news/b/ideas/new", &add, &photo(1)).await;
    assert_eq!(page.status, 200);
    assert!(page.text.contains("![My plan](/images/"), "{}", page.text);
    assert!(page.text.contains("value=\"A plan\"") && !page.text.contains("class=\"faults\""));
    let records = portal.acme.export().await;
    assert_eq!(records.iter().filter(|it| it["kind"] == "feedback_post").count(), 1);
    let none = ada.post("/news/b/ideas/new", &add).await;
    assert!(none.text.contains("id=\"image-fault\""), "{}", none.text);
}

#[rstest]
#[tokio::test]
async fn only_those_who_may_upload_with_a_form_of_the_portal(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = Portal::new(store, board()).await;
    let ada = portal.signed_in(ADA).await;
    let stranger = portal.browser();
    assert!(
        stranger.send_file("/news/images", &[], &photo(1)).await.location().contains("sign-in")
    );
    // A file of somebody who has not signed in is dropped, and the text stays.
    let typed = [("title", "A plan"), ("text", "See this.")];
    let page = stranger.send_file("/news/b/ideas/new", &typed, &photo(1)).await;
    assert_eq!(page.location(), "/news/sign-in?return_to=%2Fnews%2Fb%2Fideas%2Fnew");
    let (_, letter) = portal.ask(&stranger, "eve@example.com").await;
    assert_eq!(stranger.post(&letter.link, &[]).await.status, 303);
    let page = stranger.get("/news/b/ideas/new").await;
    assert!(!page.text.contains("/images/") && page.text.contains("See this."), "{}", page.text);
    assert_eq!(ada.send_file("/news/images", &[], &photo(1)).await.status, 403);
    let elsewhere = ada.with_headers(&[("Sec-Fetch-Site", "cross-site"), ("Accept", "text/html")]);
    assert_eq!(elsewhere.post_file("/news/images", &[], &photo(1)).await.status, 403);
    for file in [SVG, b"GIF89a/*\0\0\0\0\0*/=1;alert(1)//", &photo(1)[..99]] {
        let refused = ada.post_file("/news/images", &[], file).await;
        assert_eq!(refused.status, 422, "{}", refused.text);
        let answer: Value = serde_json::from_str(&refused.text).unwrap();
        assert!(answer["detail"]["error"].is_string(), "{answer}");
    }
    let far = vec![0; 42 * 1024 * 1024];
    assert_eq!(ada.post_file("/news/images", &[], &far).await.status, 413);
}

#[rstest]
#[tokio::test]
async fn an_image_is_seen_in_its_organization_and_in_a_private_portal_by_the_signed_in(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = Portal::new(store, board()).await;
    let mut other = Draft::with(json!({"portal": {"host": "ideas.globex.example"}}));
    other.board(json!({"slug": "ideas"}));
    let globex = portal.another(other).await;
    let ada = portal.signed_in(ADA).await;
    let (url, markdown) = ada.upload(&photo(1)).await;
    let path = url.split('?').next().unwrap();
    assert_eq!(markdown, format!("![My plan]({})", url.strip_prefix("/news").unwrap()));
    assert_eq!(ada.get(path).await.status, 200);
    let inner = path.strip_prefix("/news").unwrap();
    let foreign = format!("/news/o/{}{inner}", globex.slug());
    assert_eq!(ada.get(&foreign).await.status, 404);
    assert_eq!(portal.browser_at("ideas.globex.example").get(inner).await.status, 404);
    portal.set(portal.acme.slug(), &["--private", "on"]).await;
    let stranger = portal.browser().get(path).await;
    assert_eq!(stranger.status, 303);
    let unknown = portal.browser().get(&format!("/news/images/{}", "0".repeat(64))).await;
    assert_eq!(unknown.status, 303);
    let seen = ada.get(path).await;
    assert_eq!((seen.status, &*seen.header("Cache-Control")), (200, "private, no-cache"));
    assert_eq!(seen.header("Cross-Origin-Resource-Policy"), "same-origin");
    let tag = seen.header("ETag");
    let known = [("Accept", "text/html"), ("If-None-Match", &*tag.clone().leak())];
    assert_eq!(ada.with_headers(&known).get(path).await.status, 304);
    assert_eq!(portal.browser().with_headers(&known).get(path).await.status, 303);
}

#[rstest]
#[tokio::test]
async fn a_person_has_a_picture_until_it_is_removed(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = Portal::new(store, board()).await;
    let ada = portal.signed_in(ADA).await;
    let picture = async || portal.members(ADA).await.expect(200)["avatar_url"].clone();
    let refused = ada.post_file("/news/account/picture", &[], SVG).await;
    assert!(refused.text.contains("id=\"image-fault\""), "{}", refused.text);
    assert_eq!(picture().await, "");
    assert_eq!(ada.post_file("/news/account/picture", &[], &photo(1)).await.status, 303);
    let url = picture().await.as_str().unwrap().to_owned();
    assert!(url.starts_with("https://feedback.example/news/images/"), "{url}");
    let path = url.strip_prefix("https://feedback.example").unwrap();
    assert_eq!(ada.kind(path).await, (200, "image/jpeg".to_owned()));
    assert!(ada.get("/news/account").await.text.contains(&*url));
    assert_eq!(ada.post("/news/account/picture", &[("remove", "yes")]).await.status, 303);
    assert_eq!(picture().await, "");
}

#[rstest]
#[tokio::test]
async fn the_images_of_an_organization_take_no_more_than_the_quota(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let one = photo(1).len() * 3 / 2;
    let quota = one.to_string();
    let settings = [("HEARBACK_IMAGES_QUOTA_BYTES", &*quota)];
    let portal = Portal::of(Installation::new(store, &settings).await, board()).await;
    let ada = portal.signed_in(ADA).await;
    let (url, _) = ada.upload(&photo(1)).await;
    let second = ada.post_file("/news/images", &[], &photo(2)).await;
    assert_eq!(second.status, 422, "{}", second.text);
    // The same picture takes no room.
    assert_eq!(ada.upload(&photo(1)).await.0, url);
}
