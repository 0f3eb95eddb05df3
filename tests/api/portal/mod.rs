//! The portal, as browsers use it and as attackers do.
//!
//! The public address is `https://feedback.example/news`. The proxy in front of the server takes
//! `/news` away, and the [`Browser`] stands for both of them.

mod addresses;
mod dashboard;
mod data;
mod desk;
mod desk_links;
mod drafts;
mod faults;
mod forms;
mod guests;
mod images;
mod lists;
mod notices;
mod pages;
mod people_import;
mod posts;
mod second_factor;
mod sign_in;
mod sites;
mod timing;
mod unlisted;
mod views;
mod ways;

use crate::support::site::builder;
use crate::support::{
    Draft, Installation, Organization, PUBLIC_URL, Server, Store, TestResponse, eventually,
};
use reqwest::header::HeaderMap;
use reqwest::{Client, Method, Url, redirect};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::sync::Mutex;

/// The host of the public address.
const HOST: &str = "feedback.example";

/// A server on a store of its own, and the organization of its first page.
struct Portal {
    installation: Installation,
    server: Server,
    acme: Organization,
}

impl Portal {
    async fn new(store: Store, draft: Draft) -> Self {
        let installation = Installation::new(store, &[]).await;
        Self::of(installation, draft).await
    }

    async fn of(installation: Installation, draft: Draft) -> Self {
        let acme = draft.open_in(&installation).await;
        let server = installation.serve();
        Self { acme: acme.at(&server), server, installation }
    }

    /// Another organization of the same server.
    async fn another(&self, draft: Draft) -> Organization {
        draft.open_in(&self.installation).await.at(&self.server)
    }

    /// A browser without any cookie.
    fn browser(&self) -> Browser {
        self.browser_at(HOST)
    }

    /// A browser of which the address bar has another host.
    fn browser_at(&self, host: &str) -> Browser {
        Browser { host: host.to_owned(), ..Browser::at(&self.server) }
    }

    /// A browser in which a person has signed in.
    async fn signed_in(&self, email: &str) -> Browser {
        self.signed_in_at("/news", email).await
    }

    /// A browser in which a person has signed in to the portal at a path.
    async fn signed_in_at(&self, base: &str, email: &str) -> Browser {
        let browser = self.browser();
        let (_, letter) = self.ask_at(base, &browser, email, "").await;
        let answer = browser.post(&format!("{base}/sign-in/code"), &[("code", &letter.code)]).await;
        assert_eq!(answer.status, 303, "{}", answer.text);
        assert!(browser.is_signed_in_at(base).await);
        browser
    }

    /// A browser in which a person has signed in who is invited to a role.
    async fn member(&self, email: &str, role: &str) -> Browser {
        let browser = self.browser();
        let link = self.invite(self.acme.slug(), email, role).await;
        assert_eq!(browser.post(&link, &[]).await.status, 303);
        browser
    }

    /// Invites a person. Returns the path of the link.
    async fn invite(&self, organization: &str, email: &str, role: &str) -> String {
        let invite =
            ["member", "invite", "--organization", organization, "--email", email, "--role", role];
        let link = self.installation.command(&invite).await;
        path_of(link.trim())
    }

    /// Changes settings of an organization, and waits until they are in effect.
    async fn set(&self, organization: &str, settings: &[&str]) {
        let set = [&["organization", "set", "--organization", organization], settings].concat();
        self.installation.command(&set).await;
        tokio::time::sleep(std::time::Duration::from_millis(1_100)).await;
    }

    /// Asks for the mail to sign in.
    async fn ask(&self, browser: &Browser, email: &str) -> (Page, Letter) {
        self.ask_at("/news", browser, email, "").await
    }

    async fn ask_at(
        &self,
        base: &str,
        browser: &Browser,
        email: &str,
        return_to: &str,
    ) -> (Page, Letter) {
        let known = self.mails_to(email);
        let fields = [("email", email), ("return_to", return_to)];
        let page = browser.post(&format!("{base}/sign-in"), &fields).await;
        assert_eq!(page.status, 200, "{}", page.text);
        let letter = eventually("the mail to sign in is written", async || {
            let path = self.mails_to(email).difference(&known).next().cloned()?;
            Letter::read(&std::fs::read_to_string(path).expect("a mail"))
        });
        (page, letter.await)
    }

    /// The files of the mails to an address.
    fn mails_to(&self, email: &str) -> HashSet<PathBuf> {
        let mails = self.installation.mails().into_iter();
        let is_to = |to: String| to.to_ascii_lowercase().contains(&email.to_ascii_lowercase());
        mails.filter(|mail| is_to(mail.header("To"))).map(|mail| mail.path).collect()
    }

    /// The user with an address, by the API.
    async fn members(&self, email: &str) -> TestResponse {
        self.acme.post("/users/retrieve", json!({"email": email})).await
    }

    /// All comments, those that wait among them.
    async fn comments(&self) -> Vec<Value> {
        let records = self.acme.export().await;
        records.into_iter().filter(|record| record["kind"] == "comment").collect()
    }
}

/// What a browser says of a request of a page of the same origin.
const SAME_ORIGIN: [(&str, &str); 2] = [("Sec-Fetch-Site", "same-origin"), ("Accept", "text/html")];

/// A browser that follows no redirects, and keeps its cookies.
struct Browser {
    client: Client,
    server: String,
    host: String,
    cookies: Mutex<BTreeMap<String, String>>,
    headers: Vec<(&'static str, &'static str)>,
}

impl Browser {
    /// A browser without any cookie, at a server.
    fn at(server: &Server) -> Self {
        let client = builder().redirect(redirect::Policy::none()).build().expect("a client");
        Self {
            client,
            server: server.base().to_owned(),
            host: HOST.to_owned(),
            cookies: Mutex::default(),
            headers: SAME_ORIGIN.to_vec(),
        }
    }

    /// A second browser with the same cookies.
    fn copy(&self) -> Self {
        Self {
            client: self.client.clone(),
            server: self.server.clone(),
            host: self.host.clone(),
            cookies: Mutex::new(self.cookies()),
            headers: self.headers.clone(),
        }
    }

    /// The same browser, of which each request has these headers alone.
    fn with_headers(&self, headers: &[(&'static str, &'static str)]) -> Self {
        Self { headers: headers.to_vec(), ..self.copy() }
    }

    fn cookies(&self) -> BTreeMap<String, String> {
        self.cookies.lock().expect("not poisoned").clone()
    }

    fn keep(&self, name: &str, value: &str) {
        self.cookies.lock().expect("not poisoned").insert(name.to_owned(), value.to_owned());
    }

    /// The cookie of the session: its name and its value.
    fn session(&self) -> Option<(String, String)> {
        let others = ["-sign-in", "-language", "-guest", "-draft"];
        let named = |name: &str| !others.iter().any(|other| name.ends_with(other));
        self.cookies().into_iter().find(|(name, _)| named(name))
    }

    /// The address at the server. The proxy takes `/news` away.
    fn url(&self, path: &str) -> String {
        let path = match self.host == HOST {
            true => {
                let inner = path.strip_prefix("/news");
                inner.unwrap_or_else(|| panic!("{path} does not lead to the server"))
            }
            false => path,
        };
        format!("{}{path}", self.server)
    }

    async fn request(&self, method: Method, path: &str, body: Option<Vec<u8>>) -> Page {
        let kind = "application/x-www-form-urlencoded";
        self.request_of(method, path, body.map(|body| (kind, body))).await
    }

    async fn request_of(&self, method: Method, path: &str, body: Option<(&str, Vec<u8>)>) -> Page {
        let mut request = self.client.request(method, self.url(path)).header("Host", &self.host);
        for (name, value) in &self.headers {
            request = request.header(*name, *value);
        }
        let cookies = self.cookies();
        if !cookies.is_empty() {
            let pairs: Vec<String> =
                cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
            request = request.header("Cookie", pairs.join("; "));
        }
        if let Some((kind, body)) = body {
            request = request.header("Content-Type", kind).body(body);
        }
        let answer = request.send().await.expect("an answer");
        let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
        let text = answer.text().await.expect("a text");
        let page = Page { status, headers, text };
        for cookie in page.cookies() {
            let (name, rest) = cookie.split_once('=').expect("a name");
            let value = rest.split(';').next().unwrap_or_default();
            let mut cookies = self.cookies.lock().expect("not poisoned");
            match value.is_empty() {
                true => cookies.remove(name),
                false => cookies.insert(name.to_owned(), value.to_owned()),
            };
        }
        page
    }

    async fn get(&self, path: &str) -> Page {
        self.request(Method::GET, path, None).await
    }

    /// Sends a form as it is, without a token.
    async fn send(&self, path: &str, fields: &[(&str, &str)]) -> Page {
        self.request(Method::POST, path, Some(encoded(fields))).await
    }

    /// Sends a form of a page of the portal, with the token that the pages have, and the number
    /// that the form has if it is one to write in.
    async fn post(&self, path: &str, fields: &[(&str, &str)]) -> Page {
        let token = self.form_token(&base_of(path, &self.host)).await;
        let number = self.number(path).await;
        let number = number.as_deref().map(|number| ("nonce", number));
        let number: Vec<(&str, &str)> = number.into_iter().collect();
        self.send(path, &[&number, fields, &[("form_token", &*token)]].concat()).await
    }

    /// The number of the form that is sent to a path.
    async fn number(&self, path: &str) -> Option<String> {
        let parts = ["/new", "/edit", "/comment", "/vote", "/follow", "/c/"];
        if !parts.iter().any(|part| path.contains(part)) || path.ends_with("/delete") {
            return None;
        }
        self.get(path.strip_suffix("/comment").unwrap_or(path)).await.field("nonce")
    }

    /// The token of the forms of the portal at a path. It is the same in all of them.
    async fn form_token(&self, base: &str) -> String {
        self.get(&format!("{base}/sign-in/nobody")).await.form_token()
    }

    async fn is_signed_in(&self) -> bool {
        self.is_signed_in_at("/news").await
    }

    async fn is_signed_in_at(&self, base: &str) -> bool {
        let page = self.get(&format!("{base}/account")).await;
        match page.status {
            200 => true,
            303 => {
                let to = format!("{base}/sign-in?return_to={}", base.replace('/', "%2F"));
                assert_eq!(page.location(), format!("{to}%2Faccount"));
                false
            }
            status => panic!("{status}: {}", page.text),
        }
    }
}

/// The beginning of the addresses of the portal that a path is a part of.
fn base_of(path: &str, host: &str) -> String {
    let parts: Vec<&str> = path.split('/').collect();
    match parts[..] {
        ["", "news", "o", slug, ..] => format!("/news/o/{slug}"),
        _ if host == HOST => "/news".to_owned(),
        _ => String::new(),
    }
}

fn encoded(fields: &[(&str, &str)]) -> Vec<u8> {
    let query = Url::parse_with_params("https://x.example/", fields).expect("an address");
    query.query().unwrap_or_default().as_bytes().to_vec()
}

/// The path of an address of the portal.
fn path_of(address: &str) -> String {
    let path = address.strip_prefix(PUBLIC_URL).unwrap_or_else(|| panic!("{address}"));
    format!("/news{path}")
}

/// An answer.
#[derive(Debug)]
struct Page {
    status: u16,
    headers: HeaderMap,
    text: String,
}

impl Page {
    /// A header, or an empty text.
    fn header(&self, name: &str) -> String {
        let value = self.headers.get(name);
        value.map_or_else(String::new, |value| value.to_str().expect("ASCII").to_owned())
    }

    #[track_caller]
    fn location(&self) -> String {
        assert!(matches!(self.status, 301 | 303), "{} {}", self.status, self.text);
        self.header("Location")
    }

    /// The values of `Set-Cookie`.
    fn cookies(&self) -> Vec<String> {
        let values = self.headers.get_all("Set-Cookie").iter();
        values.map(|value| value.to_str().expect("ASCII").to_owned()).collect()
    }

    /// The value of a field of the page's forms.
    fn field(&self, name: &str) -> Option<String> {
        let (_, rest) = self.text.split_once(&format!("name=\"{name}\" value=\""))?;
        Some(plain(rest.split('"').next()?))
    }

    fn form_token(&self) -> String {
        self.field("form_token").unwrap_or_else(|| panic!("no form: {self:?}"))
    }

    /// Status and body, in which a text stands for another one.
    fn seen(&self, text: &str, with: &str) -> (u16, String) {
        (self.status, self.text.replace(text, with))
    }
}

/// A text without the references of HTML.
fn plain(html: &str) -> String {
    let html = html.replace("&#34;", "\"").replace("&quot;", "\"").replace("&#39;", "'");
    html.replace("&#60;", "<").replace("&#62;", ">").replace("&#38;", "&").replace("&amp;", "&")
}

/// The mail by which somebody signs in.
struct Letter {
    /// The path of the link.
    link: String,
    code: String,
}

impl Letter {
    /// Reads a mail. `None` if it is not complete yet.
    fn read(mail: &str) -> Option<Self> {
        let text = mail.replace("=\r\n", "").replace("=3D", "=");
        let is_code = |line: &&str| line.len() == 6 && line.bytes().all(|b| b.is_ascii_digit());
        let code = text.lines().map(str::trim).find(is_code)?.to_owned();
        let (_, link) = text.split_once(PUBLIC_URL)?;
        let link = link.split(|c: char| c.is_whitespace() || c == '"').next()?;
        Some(Self { link: format!("/news{link}"), code })
    }

    /// Another code.
    fn wrong_code(&self) -> String {
        let code: u32 = self.code.parse().expect("digits");
        format!("{:06}", (code + 1) % 1_000_000)
    }

    /// The token of the link.
    fn token(&self) -> &str {
        self.link.rsplit('/').next().expect("a token")
    }
}
