//! `hearback demo`: an example organization, its key, and three requests to try.

use super::Task;
use super::member::invitation;
use crate::error::Error;
use crate::installation::Installation;
use crate::output::print;
use crate::serve::reachable;
use hearback_app::Caller;
use hearback_app::keys::{self, KeyError, PlainKey};
use hearback_app::organizations::{self, OrganizationError};
use hearback_app::portable::{ImportError, import};
use hearback_domain::organization::Organization;
use hearback_domain::permission::Role;
use hearback_domain::person::Email;
use hearback_ports::StoreError;
use hearback_ports::import::Ending;
use serde_json::Value;
use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

/// The demo could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    /// The built-in file could not be read.
    #[error("cannot read the built-in demo")]
    Json(#[from] serde_json::Error),
    /// The built-in file lacks a record that the requests to try need.
    #[error("the built-in demo has no {0}")]
    Incomplete(&'static str),
    /// Another organization has the slug of the demo.
    #[error("another organization has the slug {0}, which the demo needs")]
    SlugTaken(String),
    /// The import failed.
    #[error("cannot load the demo")]
    Import(#[from] ImportError),
}

/// Loads the example unless it is there, makes its key unless it has one, and prints requests to
/// try. The output is the same each time, but for the link by which the owner signs in.
pub(crate) async fn run(task: &Task<'_>) -> Result<(), Error> {
    task.run(async |installation| {
        let demo = Demo::read(FILE)?;
        let organization = load(installation, &demo).await?;
        let key = key(installation, &organization).await?;
        let owner = Email::parse(OWNER).map_err(|_| DemoError::Incomplete("owner"))?;
        let link = invitation(task, installation, &organization, &owner, Role::Owner).await?;
        print(&demo.welcome(&organization, &key, &link, task.config.listen))
    })
    .await
}

/// The address of the owner of the example organization.
const OWNER: &str = "owner@weekwright.example";

const FILE: &str = include_str!("../../demo/weekwright.jsonl");

/// The example organization, imported unless it is there.
async fn load(installation: &Installation, demo: &Demo) -> Result<Organization, Error> {
    if let Some(organization) = find(installation, demo).await? {
        return Ok(organization);
    }
    let ports = &installation.ports;
    let deadline = ports.clock.elapsed() + PATIENCE;
    loop {
        let vault = Arc::clone(&installation.vault);
        let imported = import(ports, vault, FILE.as_bytes(), Ending::Commit, |_| {}).await;
        match (find(installation, demo).await?, imported) {
            // This process loaded it, or a faster one.
            (Some(organization), _) => return Ok(organization),
            // Another process may be loading it, for longer than a write waits.
            (None, Err(ImportError::Store(StoreError::Busy)))
                if ports.clock.elapsed() < deadline => {}
            (None, Err(error)) => return Err(DemoError::from(error).into()),
            (None, Ok(_)) => return Err(DemoError::Incomplete("organization").into()),
        }
    }
}

/// How long the import is repeated while the store is busy.
const PATIENCE: Duration = Duration::from_secs(60);

async fn find(installation: &Installation, demo: &Demo) -> Result<Option<Organization>, Error> {
    match organizations::find(&installation.ports, &demo.slug).await {
        Ok(organization) if organization.id.to_string() == demo.organization => {
            Ok(Some(organization))
        }
        Ok(organization) => Err(DemoError::SlugTaken(organization.slug.into()).into()),
        Err(OrganizationError::Unknown(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The active key, made unless there is one.
async fn key(
    installation: &Installation,
    organization: &Organization,
) -> Result<PlainKey, KeyError> {
    let (ports, vault) = (&installation.ports, &installation.vault);
    let caller = Caller::command_line(organization.id).doing("demo");
    match keys::reveal(ports, vault, caller).await {
        Err(KeyError::NoActiveKey) => {}
        revealed => return revealed,
    }
    match keys::generate(ports, vault, caller).await {
        // Another process was faster.
        Err(KeyError::AlreadyActive) => keys::reveal(ports, vault, caller).await,
        generated => generated,
    }
}

/// The parts of the file that the requests to try are made of. The store would change with the
/// requests; the file does not.
struct Demo {
    organization: String,
    slug: String,
    /// A post that takes votes.
    post: String,
    title: String,
    /// A user without a vote on it.
    voter: String,
    voter_name: String,
}

impl Demo {
    fn read(file: &str) -> Result<Self, DemoError> {
        let records = file.lines().map(serde_json::from_str).collect::<Result<Vec<Value>, _>>()?;
        let active = |kind: &'static str| {
            records
                .iter()
                .filter(move |record| record["kind"] == kind && record["is_active"] != false)
        };
        let organization = active("organization").next();
        let organization = organization.ok_or(DemoError::Incomplete("organization"))?;
        let boards: HashSet<String> = active("feedback_board")
            .filter(|board| board["is_voting_enabled"] != false)
            .map(|board| text(board, "id"))
            .collect();
        let post = active("feedback_post")
            .find(|post| {
                post["merged_into_id"].is_null() && boards.contains(&text(post, "board_id"))
            })
            .ok_or(DemoError::Incomplete("post that takes votes"))?;
        let voted: HashSet<String> = active("vote")
            .filter(|vote| vote["post_id"] == post["id"])
            .map(|vote| text(vote, "user_id"))
            .collect();
        let voter = active("user")
            .find(|user| !voted.contains(&text(user, "user_id")))
            .ok_or(DemoError::Incomplete("user without a vote"))?;
        Ok(Self {
            organization: text(organization, "id"),
            slug: text(organization, "slug"),
            post: text(post, "id"),
            title: text(post, "title"),
            voter: text(voter, "user_id"),
            voter_name: text(voter, "name"),
        })
    }

    fn welcome(
        &self,
        organization: &Organization,
        key: &PlainKey,
        link: &str,
        listen: SocketAddr,
    ) -> String {
        let Self { slug, post, title, voter, voter_name, .. } = self;
        let name = &organization.name;
        let server = format!("http://{}", reachable(listen));
        let url = format!("{server}/api/external/v1");
        let key = key.reveal();
        let curl = |path: &str, fields: &str| {
            format!(
                "curl -s {url}{path} -H 'Content-Type: application/json' -d '{{\"api_key\":\"{key}\"{fields}}}'"
            )
        };
        let boards = curl("/feedback-boards/list", "");
        let word = word(title);
        let search = curl("/feedback-posts/list", &format!(",\"search\":\"{word}\",\"limit\":3"));
        let vote = curl(
            "/votes/toggle",
            &format!(",\"user_id\":\"{voter}\",\"post_id\":\"{post}\",\"post_type\":\"feedback\""),
        );
        format!(
            "The example organization {name} ({slug}) is loaded. While `hearback serve` runs, its \
             portal is at\n\n\
             {server}/\n\n\
             Sign in as its owner by this link, which is good once, for seven days:\n\n\
             {link}\n\n\
             Its API key:\n\n\
             {key}\n\n\
             Three requests to try while `hearback serve` runs:\n\n\
             # its boards\n{boards}\n\n\
             # its newest posts with the word {word}\n{search}\n\n\
             # {voter_name} votes for \"{title}\"; repeated, it takes the vote back\n{vote}\n\n\
             Every endpoint can be tried in a browser: {server}/docs\n"
        )
    }
}

/// A text in a record, which is empty if it is missing.
fn text(record: &Value, member: &str) -> String {
    record[member].as_str().unwrap_or_default().to_owned()
}

/// The longest word of a title, of letters that no shell and no JSON takes for anything else.
fn word(title: &str) -> &str {
    title
        .split(|c: char| !c.is_ascii_alphanumeric())
        .max_by_key(|word| word.len())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_file_has_all_that_the_requests_need() {
        let demo = Demo::read(FILE).unwrap();
        assert!(!word(&demo.title).is_empty());
        assert!(FILE.lines().next().unwrap().contains(&demo.slug));
    }

    #[test]
    fn the_built_in_file_shows_every_part_of_the_product() {
        let of = |kind: &str| {
            FILE.lines().filter(|line| line.starts_with(&format!("{{\"kind\":\"{kind}\""))).count()
        };
        assert_eq!((of("feedback_board"), of("feedback_post")), (6, 300));
        for (kind, least) in [
            ("user", 60),
            ("status", 4),
            ("comment", 300),
            ("vote", 1_000),
            ("merge", 1),
            ("roadmap_post", 10),
            ("changelog_entry", 10),
            ("help_article", 30),
        ] {
            assert!(of(kind) >= least, "{kind}: {}", of(kind));
        }
        // A key is made anew, and no receiver is sent anything.
        assert_eq!((of("api_key"), of("webhook_subscription")), (0, 0));
    }

    #[test]
    fn the_longest_word_of_a_title_is_searched_for() {
        assert_eq!(word("Don't close the \"exporting\" dialog – ever"), "exporting");
        assert_eq!(word("日本語"), "");
    }
}
