//! The actors of these tests: organizations with votes and subscriptions, servers, receivers and
//! databases.

mod database;
mod receiver;
mod signature;

/// The support of the API's tests: stores, servers, drafts of organizations.
#[path = "../../api/support/mod.rs"]
#[expect(dead_code, unused_imports, reason = "the tests of the API need more of it")]
mod api;

pub(crate) use api::openapi::example_of_event;
pub(crate) use api::{Draft, Installation, Server, Store, eventually, id, now};
pub(crate) use database::{Attempt, Database, Delivery, Event, Vote};
pub(crate) use receiver::{Receiver, Request, Step, answer};
pub(crate) use signature::{service_signature, standard_signature};

use hearback_domain::Uuid;
use hearback_tests::system;
use reqwest::Client;
use serde_json::{Value, json};
use tokio::sync::{Mutex, MutexGuard, OnceCell};

/// The setting that lets servers send to this machine.
pub(crate) const TO_THIS_MACHINE: (&str, &str) =
    ("HEARBACK_WEBHOOK_ALLOW_PRIVATE_NETWORKS", "true");

/// The setting of the pauses between attempts.
pub(crate) const RETRY_SCHEDULE: &str = "HEARBACK_WEBHOOK_RETRY_SCHEDULE";

/// A store with a server, shared by all tests that need none of their own. The server makes three
/// attempts of a delivery, a second apart.
pub(crate) struct Site {
    pub(crate) installation: Installation,
    pub(crate) server: Server,
}

impl Site {
    /// The site of a store. The first test that asks for it starts it.
    pub(crate) async fn of(store: Store) -> &'static Self {
        static SITES: [OnceCell<Site>; 2] = [const { OnceCell::const_new() }; 2];
        SITES[store as usize].get_or_init(|| Self::new(store, "1s,1s")).await
    }

    /// A site for one test, with its own pauses between attempts.
    pub(crate) async fn new(store: Store, schedule: &str) -> Self {
        let installation =
            Installation::new(store, &[TO_THIS_MACHINE, (RETRY_SCHEDULE, schedule)]).await;
        let server = installation.serve();
        Self { installation, server }
    }
}

/// Reserves the machine for one test until this is dropped: for tests that keep a pace, and for
/// tests that would disturb these.
pub(crate) async fn whole_machine() -> MutexGuard<'static, ()> {
    static MACHINE: Mutex<()> = Mutex::const_new(());
    MACHINE.lock().await
}

/// An organization with posts and voters. It holds its records until they are imported.
pub(crate) struct Acme {
    pub(crate) id: String,
    pub(crate) slug: String,
    pub(crate) board: String,
    pub(crate) posts: Vec<String>,
    pub(crate) voters: Vec<String>,
    pub(crate) draft: Draft,
    key: String,
    /// Records of kinds that drafts do not have.
    others: Vec<Value>,
}

impl Acme {
    /// An organization with one post and one voter.
    pub(crate) fn new() -> Self {
        Self::of(1, 1)
    }

    /// An organization with this many posts, all on one board, and this many voters.
    pub(crate) fn of(posts: usize, voters: usize) -> Self {
        let id = id();
        let mut draft = Draft::with(json!({"id": id}));
        let board = draft.board(json!({}));
        let common = json!({"board_id": board, "author_id": draft.user(json!({})), "status_id": draft.status(json!({}))});
        let posts = (0..posts).map(|_| draft.post(common.clone())).collect();
        let voters = (0..voters).map(|_| draft.user(json!({}))).collect();
        let slug = draft.slug().to_owned();
        // 43 characters of the key's alphabet. They contain the identifier, so no other
        // organization has this key.
        let digits = id.replace('-', "");
        let key = format!("hbk_{digits}{}", &digits[..11]);
        Self { id, slug, board, posts, voters, draft, key, others: Vec::new() }
    }

    /// Adds a subscription of a URL to all events. Returns the subscription's identifier.
    pub(crate) fn subscribed(&mut self, url: &str) -> String {
        self.subscribed_with(
            json!({"url": url, "signing_secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}),
        )
    }

    /// Adds a subscription with these members. Returns its identifier.
    pub(crate) fn subscribed_with(&mut self, members: Value) -> String {
        let id = id();
        let mut record =
            json!({"kind": "webhook_subscription", "id": id, "created_at": "2026-01-02"});
        record
            .as_object_mut()
            .expect("an object")
            .extend(members.as_object().expect("an object").clone());
        self.others.push(record);
        id
    }

    /// Imports the organization.
    pub(crate) async fn import(&self, installation: &Installation) {
        import(installation, [self]).await;
    }

    fn lines(&self) -> String {
        let key =
            json!({"kind": "api_key", "id": id(), "key": self.key, "created_at": "2026-01-02"});
        let others: String =
            self.others.iter().chain([&key]).map(|record| format!("{record}\n")).collect();
        self.draft.lines() + &others
    }
}

/// Imports several organizations in one file.
pub(crate) async fn import(
    installation: &Installation,
    organizations: impl IntoIterator<Item = &Acme>,
) {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let lines: String = organizations.into_iter().map(Acme::lines).collect();
    std::fs::write(file.path(), lines).expect("the file is written");
    installation.command(&["import", file.path().to_str().expect("a path in UTF-8")]).await;
}

/// A subscription made on the command line.
pub(crate) struct Subscription {
    pub(crate) id: String,
    pub(crate) secret: String,
}

/// Subscribes a URL to events of these types, or to all events if there are none.
pub(crate) async fn subscribe(
    installation: &Installation,
    acme: &Acme,
    url: &str,
    event_types: &[&str],
) -> Subscription {
    let mut arguments = vec!["add", "--url", url];
    arguments.extend(event_types.iter().flat_map(|event_type| ["--event", event_type]));
    let printed = webhook(installation, acme, &arguments).await;
    let (id, secret) = printed.trim_end().split_once('\t').expect("an identifier and a secret");
    Subscription { id: id.to_owned(), secret: secret.to_owned() }
}

/// Runs `hearback webhook …` for an organization and returns its output.
pub(crate) async fn webhook(
    installation: &Installation,
    acme: &Acme,
    arguments: &[&str],
) -> String {
    let (command, arguments) = arguments.split_first().expect("a command");
    let all = [&["webhook", command, "--organization", &acme.slug], arguments].concat();
    installation.command(&all).await
}

/// A client of a server.
#[derive(Clone)]
pub(crate) struct Caller {
    base: String,
    client: Client,
}

impl Caller {
    pub(crate) fn of(server: &Server) -> Self {
        // This fails if a provider is installed already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .tls_certs_only([])
            .timeout(system::PATIENCE)
            .build()
            .expect("a client");
        Self { base: server.base().to_owned(), client }
    }

    /// Toggles the vote of the first voter on the first post.
    pub(crate) async fn toggle(&self, acme: &Acme) -> bool {
        self.toggle_of(acme, 0, 0).await
    }

    /// Toggles the vote of a voter on a post.
    pub(crate) async fn toggle_of(&self, acme: &Acme, voter: usize, post: usize) -> bool {
        let answer =
            self.try_toggle(acme, &acme.voters[voter], &acme.posts[post], "feedback").await;
        let Some((200, body)) = answer else { panic!("{answer:?}") };
        body["voted"].as_bool().expect("a boolean")
    }

    /// The status and the body of the response. `None` if there was no response.
    pub(crate) async fn try_toggle(
        &self,
        acme: &Acme,
        voter: &str,
        post: &str,
        post_type: &str,
    ) -> Option<(u16, Value)> {
        let body =
            json!({"api_key": acme.key, "user_id": voter, "post_id": post, "post_type": post_type});
        let request = self.client.post(format!("{}/api/external/v1/votes/toggle", self.base));
        let request = request.header("Content-Type", "application/json").body(body.to_string());
        let answer = request.send().await.ok()?;
        let status = answer.status().as_u16();
        Some((status, serde_json::from_slice(&answer.bytes().await.ok()?).expect("JSON")))
    }
}

/// Parses an identifier.
pub(crate) fn uuid(text: &str) -> Uuid {
    Uuid::parse_str(text).expect("an identifier")
}
