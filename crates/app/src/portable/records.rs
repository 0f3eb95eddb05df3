//! The record of each line: the rules of the portable format that a line and its organization
//! decide.

use super::export::members;
use super::lines;
use super::reader::InOrganization;
use super::values::{Bounded, Plain, SeqNumber};
use crate::key_ring::is_key;
use crate::vault::{Purpose, Vault, digest};
use crate::webhooks::new_signing_secret;
use hearback_domain::api_key::{KeyDigest, Sealed};
use hearback_domain::changelog_entry::EntryStatus;
use hearback_domain::help_article::ArticleStatus;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::permission::Role;
use hearback_domain::position::Position;
use hearback_domain::vote::Target;
use hearback_domain::{ClosedSet, Time, Uuid};
use hearback_ports::{Kind, Record};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::Arc;
use zeroize::Zeroizing;

/// The values that all records of an import share.
pub(super) struct Context {
    /// The vault that seals secrets.
    pub(super) vault: Arc<Vault>,
    /// When the import began. A scheduled entry that was due then is published.
    pub(super) now: Time,
    /// The organization that is filled. `None` if the file brings its organizations.
    pub(super) home: Option<Home>,
}

/// An organization that is filled with the records of a file.
pub(super) struct Home {
    pub(super) organization: OrganizationId,
    /// The people who are there, by their address in lower case.
    pub(super) people: HashMap<String, UserId>,
    /// Whether the import makes owners.
    pub(super) makes_owners: bool,
}

/// A record with other values of some members, by the names of the portable format. `null` stands for
/// a member that the record does not have. The record is of a kind without secrets.
pub(crate) fn with_members(
    vault: &Arc<Vault>,
    record: &Record,
    values: &Map<String, Value>,
) -> Result<Record, String> {
    let mut members = members(record);
    members.extend(values.clone());
    members.retain(|_, value| !value.is_null());
    members.insert("kind".to_owned(), record.kind().code().into());
    let context = Context { vault: Arc::clone(vault), now: Time::MIN, home: None };
    let organization = &mut InOrganization::new();
    let line = Value::Object(members).to_string();
    lines::read(
        record.kind(),
        line.as_bytes(),
        &mut Reading { context: &context, organization, number: 1 },
    )
}

/// Reads the record of one line.
pub(super) struct Reading<'a> {
    pub(super) context: &'a Context,
    pub(super) organization: &'a mut InOrganization,
    /// The number of the line.
    pub(super) number: u64,
}

impl Reading<'_> {
    /// The record of a line of a kind, or the fault of the line. `None` for a person who is there
    /// already.
    pub(super) fn record(&mut self, kind: Kind, line: &[u8]) -> Result<Option<Record>, String> {
        let mut record = lines::read(kind, line, self)?;
        self.check(&mut record)?;
        let Some(home) = &self.context.home else { return Ok(Some(record)) };
        let here = &mut self.organization.here;
        if let Record::User(user) = &record {
            if let Some(&known) = home.people.get(&user.email.to_ascii_lowercase()) {
                here.insert(user.user_id, known);
                return Ok(None);
            }
            if user.role() == Some(Role::Owner) && !home.makes_owners {
                return Err("portal_role: only owners make owners".to_owned());
            }
        }
        record.each_person(|person| *person = *here.get(person).unwrap_or(person));
        if let Record::Merge(merge) = &mut record {
            merge.moved_user_ids.sort_unstable();
            merge.dropped_user_ids.sort_unstable();
        }
        Ok(Some(record))
    }

    /// Checks a record by the rules for several of its members.
    fn check(&mut self, record: &mut Record) -> Result<(), String> {
        let organization = &mut *self.organization;
        let fault = match record {
            Record::FeedbackPost(post) => {
                let merged = post.merged_into_id.map(|into| (post.id, (into, self.number)));
                organization.merged.extend(merged);
                return Ok(());
            }
            Record::Vote(vote) => match vote.target {
                Target::Feedback(post) if organization.merged.contains_key(&post) => {
                    "post_id: a merged post has no votes"
                }
                _ => return Ok(()),
            },
            Record::Merge(merge) if merge.merge_post_id == merge.into_post_id => {
                "into_post_id: a post is not merged into itself"
            }
            Record::Merge(merge) => {
                merge.moved_user_ids.sort_unstable();
                merge.dropped_user_ids.sort_unstable();
                return Ok(());
            }
            Record::ChangelogEntry(entry) => {
                match (entry.status, entry.scheduled_at, entry.published_at) {
                    (EntryStatus::Scheduled, None, _) => "scheduled_at: a scheduled entry has one",
                    (EntryStatus::Published, _, None) => "published_at: a published entry has one",
                    (EntryStatus::Scheduled, Some(due), _) if due <= self.context.now => {
                        entry.status = EntryStatus::Published;
                        entry.published_at = Some(due);
                        return Ok(());
                    }
                    _ => return Ok(()),
                }
            }
            Record::HelpArticle(article)
                if article.status == ArticleStatus::Published && article.published_at.is_none() =>
            {
                "published_at: a published article has one"
            }
            Record::HelpArticle(article) => {
                if article.version > 1 {
                    organization.versions.insert(article.id, article.version);
                }
                let related = &article.related_article_ids;
                if !related.is_empty() {
                    organization.related.push((article.id, related.clone(), self.number));
                }
                return Ok(());
            }
            Record::HelpArticleVersion(version) => {
                let newest = organization.versions.get(&version.help_article_id);
                // The line of the article may be the one with a fault.
                let is_older = newest.map_or(organization.has_gaps, |it| version.version < *it);
                if is_older {
                    return Ok(());
                }
                "version: not below the version of its article"
            }
            Record::HelpRedirect(redirect) if redirect.from_path == redirect.to_path => {
                "to_path: a redirect does not lead to itself"
            }
            _ => return Ok(()),
        };
        Err(fault.to_owned())
    }

    /// The position of a record in its list: the given one, or the end.
    pub(super) fn place(
        &mut self,
        kind: Kind,
        parent: Option<Uuid>,
        given: Option<SeqNumber>,
    ) -> Position {
        self.organization.place(kind, parent, given.map(|given| given.0))
    }

    /// Whether a subscription awaits rotation, its sealed secret, and no former one. One without a
    /// secret gets a new one that is never shown, so that nothing is sent until a rotation.
    pub(super) fn signing_secret(
        &self,
        id: Uuid,
        given: Option<Bounded<1, 256>>,
    ) -> Result<(bool, Sealed, Option<Sealed>, Option<Time>), String> {
        let given = given.map(|secret| Zeroizing::new(secret.0));
        let awaits_rotation = given.is_none();
        let secret = match given {
            Some(secret) => secret,
            None => new_signing_secret(&self.context.vault).map_err(|error| error.to_string())?,
        };
        Ok((awaits_rotation, self.seal(id, Purpose::SigningSecret, &secret)?, None, None))
    }

    /// The digest and the seal of an API key.
    pub(super) fn api_key(&self, id: Uuid, key: Plain) -> Result<(KeyDigest, Sealed), String> {
        let key = Zeroizing::new(key.0);
        if !is_key(&key) {
            return Err("key: a key is hbk_ and 43 URL-safe characters".to_owned());
        }
        Ok((digest(&key), self.seal(id, Purpose::ApiKey, &key)?))
    }

    fn seal(&self, id: Uuid, purpose: Purpose, secret: &str) -> Result<Sealed, String> {
        let sealed = self.context.vault.seal(self.organization.id, id, purpose, secret);
        sealed.map_err(|error| error.to_string())
    }
}

/// Reads a line. The fault names the member.
pub(super) fn parse<T: DeserializeOwned>(text: &[u8]) -> Result<T, String> {
    serde_json::from_slice(text).map_err(|_| {
        // The line is read again to find the member. Only faults cost this.
        let mut input = serde_json::Deserializer::from_slice(text);
        match serde_path_to_error::deserialize::<_, T>(&mut input) {
            Ok(_) => "trailing characters behind the record".to_owned(),
            Err(error) if error.path().iter().next().is_none() => reason(error.inner()),
            Err(error) => format!("{}: {}", error.path(), reason(error.inner())),
        }
    })
}

/// The message of serde_json, without its line number, which counts within this line alone, and
/// without the text that it quotes: a secret may stand in the wrong member.
pub(super) fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let text = text.rsplit_once(" at line 1 column ").map_or(&*text, |(reason, _)| reason);
    match (text.split_once(": string \""), text.rsplit_once("\", expected ")) {
        (Some((wrong, _)), Some((_, expected))) => format!("{wrong}: string, expected {expected}"),
        _ => text.to_owned(),
    }
}
