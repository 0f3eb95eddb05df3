//! Reads lines, checks them and collects them in batches, on a thread of its own, ahead of the
//! store.

use super::import::{ImportError, LineFault};
use super::lines::Head;
use super::records::{Context, Reading, reason};
use hearback_domain::id::{HelpArticleId, OrganizationId, PostId, UserId};
use hearback_domain::merge::{Circle, final_targets};
use hearback_domain::position::Position;
use hearback_domain::{ClosedSet, Uuid};
use hearback_ports::import::{Links, MergedPost};
use hearback_ports::{Batch, Kind, Record};
use std::collections::{HashMap, HashSet};
use std::io::{BufRead, Read};

/// A task for the store.
pub(super) enum Step {
    /// Write a batch. `lines` has the line number of each record.
    Put { organization: OrganizationId, batch: Batch, lines: Vec<u64>, bytes: u64 },
    /// Write the references of the organization that may point to later records.
    Link { organization: OrganizationId, links: Links, lines: Vec<u64> },
    /// Write nothing more: a line has a fault.
    Faulty,
}

/// Takes the steps. `false` if the store wants no more.
pub(super) type Take<'a> = &'a mut dyn FnMut(Step) -> bool;

/// The longest line, in bytes.
const MAX_LINE: u64 = 16 * 1024 * 1024;
/// The most faults that are found.
pub(super) const MOST_FAULTS: usize = 50;
/// The most records of a batch: enough to spread the fixed cost of a statement.
const MAX_RECORDS: usize = 1_000;
/// The most bytes of a batch's lines, so that the batches that wait stay small.
const MAX_BYTES: u64 = 1024 * 1024;

/// Reads a whole file and hands on its steps, up to the first fault. Behind it, lines are only
/// checked. Returns the first [`MOST_FAULTS`] faults.
pub(super) fn read(
    source: impl BufRead,
    context: Context,
    take: Take<'_>,
) -> Result<(), ImportError> {
    let mut lines = Lines { source, number: 0, buffer: Vec::new(), is_over: false };
    let (organization, pending, faults) = (None, None, Vec::new());
    let mut gatherer = Gatherer { context, organization, pending, take, faults };
    while gatherer.faults.len() < MOST_FAULTS {
        let read = match lines.next_line() {
            Ok(Some((number, text))) => gatherer.line(number, text),
            Ok(None) => break,
            Err(error) => Err(error),
        };
        gatherer.keep(read)?;
        if gatherer.organization.is_none() {
            // Without its organization, each line would be told to come before any.
            break;
        }
    }
    let ended = gatherer.end_organization();
    gatherer.keep(ended)?;
    match gatherer.faults.is_empty() {
        true => Ok(()),
        false => Err(ImportError::Lines(gatherer.faults)),
    }
}

struct Lines<R> {
    source: R,
    number: u64,
    buffer: Vec<u8>,
    /// Whether a line was too long. The rest of the file is not read.
    is_over: bool,
}

impl<R: BufRead> Lines<R> {
    /// The next line that is not blank, with its number.
    fn next_line(&mut self) -> Result<Option<(u64, &[u8])>, ImportError> {
        if self.is_over {
            return Ok(None);
        }
        loop {
            self.buffer.clear();
            self.number += 1;
            let mut bounded = (&mut self.source).take(MAX_LINE + 1);
            bounded.read_until(b'\n', &mut self.buffer).map_err(ImportError::Read)?;
            if self.buffer.is_empty() {
                return Ok(None);
            }
            if self.buffer.last() == Some(&b'\n') {
                self.buffer.pop();
            } else if self.buffer.len() as u64 > MAX_LINE {
                self.is_over = true;
                return Err(ImportError::line(self.number, "longer than 16 MiB"));
            }
            let skip = if self.number == 1 && self.buffer.starts_with(BYTE_ORDER_MARK) {
                BYTE_ORDER_MARK.len()
            } else {
                0
            };
            if self.buffer[skip..].trim_ascii().is_empty() {
                continue;
            }
            return Ok(Some((self.number, &self.buffer[skip..])));
        }
    }
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

struct Gatherer<'a> {
    context: Context,
    organization: Option<InOrganization>,
    pending: Option<Pending>,
    take: Take<'a>,
    /// The faults so far. Behind the first one, nothing is handed on.
    faults: Vec<LineFault>,
}

/// The state of the organization whose records are read. Its size is bounded by the merged posts,
/// related articles, parents, articles with versions, and people who were there before.
pub(super) struct InOrganization {
    pub(super) id: OrganizationId,
    places: HashMap<(Kind, Option<Uuid>), Position>,
    /// The target of each merged post, with the number of its line.
    pub(super) merged: HashMap<PostId, (PostId, u64)>,
    pub(super) related: Vec<(HelpArticleId, Vec<HelpArticleId>, u64)>,
    /// The version of each article that has older ones.
    pub(super) versions: HashMap<HelpArticleId, i64>,
    /// The person here who stands for a person of the file.
    pub(super) here: HashMap<UserId, UserId>,
    /// Whether a line had a fault.
    pub(super) has_gaps: bool,
}

struct Pending {
    organization: OrganizationId,
    batch: Batch,
    lines: Vec<u64>,
    bytes: u64,
    /// The parents of the comments in the batch.
    parents: HashSet<Uuid>,
}

impl Gatherer<'_> {
    /// Keeps the fault of a line.
    fn keep(&mut self, read: Result<(), ImportError>) -> Result<(), ImportError> {
        match read {
            Err(ImportError::Lines(faults)) => {
                // A record before this line may break a rule of the store, which finds that now.
                self.flush()?;
                self.hand_on(Step::Faulty)?;
                self.faults.extend(faults);
                if let Some(organization) = &mut self.organization {
                    organization.has_gaps = true;
                }
                Ok(())
            }
            read => read,
        }
    }

    fn line(&mut self, number: u64, text: &[u8]) -> Result<(), ImportError> {
        let fault = |reason: String| ImportError::line(number, reason);
        // serde would also read an array of the members' values.
        if text.trim_ascii_start().first() != Some(&b'{') {
            return Err(fault("not a JSON object".to_owned()));
        }
        let head: Head<'_> = serde_json::from_slice(text).map_err(|error| fault(reason(&error)))?;
        let kind = Kind::parse(&head.kind)
            .ok_or_else(|| fault("kind: no record has this kind".to_owned()))?;
        let home = self.context.home.as_ref().map(|home| home.organization);
        if kind == Kind::Organization {
            if home.is_some() && self.organization.is_some() {
                return Err(fault("kind: the records of one organization alone".to_owned()));
            }
            self.end_organization()?;
            self.organization = Some(InOrganization::new());
        }
        let Some(organization) = &mut self.organization else {
            return Err(fault("comes before any organization".to_owned()));
        };
        let record = Reading { context: &self.context, organization, number }
            .record(kind, text)
            .map_err(fault)?;
        let Some(record) = record else { return Ok(()) };
        if kind == Kind::Organization {
            organization.id = home.unwrap_or(OrganizationId(record.id()));
            if home.is_some() {
                return Ok(());
            }
        }
        let id = organization.id;
        self.push(id, number, text.len() as u64, record)
    }

    fn push(
        &mut self,
        organization: OrganizationId,
        number: u64,
        bytes: u64,
        record: Record,
    ) -> Result<(), ImportError> {
        if !self.faults.is_empty() {
            return Ok(());
        }
        if self.pending.as_ref().is_some_and(|pending| pending.must_go_before(&record)) {
            self.flush()?;
        }
        let parent = match &record {
            Record::Comment(comment) => comment.parent_comment_id.map(Uuid::from),
            _ => None,
        };
        match &mut self.pending {
            None => {
                let parents = parent.into_iter().collect();
                self.pending = Some(Pending {
                    organization,
                    batch: record.into(),
                    lines: vec![number],
                    bytes,
                    parents,
                });
            }
            Some(pending) => {
                // The push cannot fail: a record of another kind has handed on the batch above.
                let _ = pending.batch.push(record);
                pending.lines.push(number);
                pending.bytes += bytes;
                pending.parents.extend(parent);
            }
        }
        Ok(())
    }

    fn end_organization(&mut self) -> Result<(), ImportError> {
        self.flush()?;
        let Some(ended) = self.organization.take() else { return Ok(()) };
        let organization = ended.id;
        let (links, lines) = ended.links()?;
        self.hand_on(Step::Link { organization, links, lines })
    }

    fn flush(&mut self) -> Result<(), ImportError> {
        let Some(Pending { organization, batch, lines, bytes, .. }) = self.pending.take() else {
            return Ok(());
        };
        self.hand_on(Step::Put { organization, batch, lines, bytes })
    }

    fn hand_on(&mut self, step: Step) -> Result<(), ImportError> {
        if !self.faults.is_empty() {
            return Ok(());
        }
        if (self.take)(step) { Ok(()) } else { Err(ImportError::Stopped) }
    }
}

impl Pending {
    /// Whether the batch must be handed on before a record is added.
    fn must_go_before(&self, record: &Record) -> bool {
        let full = self.batch.len() >= MAX_RECORDS || self.bytes >= MAX_BYTES;
        // A parent that comes after its reply is a fault. In the same batch, one statement would
        // insert both without an error. So the batch with the reply is handed on first, and the
        // store finds the parent missing.
        let comes_late =
            matches!(record, Record::Comment(comment) if self.parents.contains(&comment.id.0));
        full || comes_late || self.batch.kind() != record.kind()
    }
}

impl InOrganization {
    /// The identifier is nil until the line of the organization is read.
    pub(super) fn new() -> Self {
        let id = OrganizationId(Uuid::nil());
        let (places, merged, versions) = (HashMap::new(), HashMap::new(), HashMap::new());
        let (related, here, has_gaps) = (Vec::new(), HashMap::new(), false);
        Self { id, places, merged, related, versions, here, has_gaps }
    }

    /// The position of a record in its list: the given one, or the end.
    pub(super) fn place(
        &mut self,
        kind: Kind,
        parent: Option<Uuid>,
        given: Option<Position>,
    ) -> Position {
        let last = self.places.entry((kind, parent)).or_insert(Position::START);
        let place = given.unwrap_or_else(|| last.next());
        *last = place.max(*last);
        place
    }

    /// The references that may point to later records, with the line number of each.
    fn links(self) -> Result<(Links, Vec<u64>), ImportError> {
        let direct: HashMap<PostId, PostId> =
            self.merged.iter().map(|(&post, &(into, _))| (post, into)).collect();
        let ends = final_targets(&direct).map_err(|Circle| {
            ImportError::line(
                self.circle_closed(),
                "merged_into_id: the merges lead back to this post",
            )
        })?;
        let mut merged: Vec<_> =
            self.merged.into_iter().map(|(id, (into, number))| (number, id, into)).collect();
        merged.sort_unstable();
        let numbers = merged
            .iter()
            .map(|&(number, ..)| number)
            .chain(self.related.iter().map(|&(.., number)| number))
            .collect();
        let merged_posts = merged
            .into_iter()
            .map(|(_, id, into)| MergedPost {
                id,
                into,
                finally: ends.get(&id).copied().unwrap_or(into),
            })
            .collect();
        let related_articles =
            self.related.into_iter().map(|(id, related, _)| (id, related)).collect();
        Ok((Links { merged_posts, related_articles }, numbers))
    }

    /// The number of the line that first closes a circle of merges: the last line of that circle.
    fn circle_closed(&self) -> u64 {
        let mut first = u64::MAX;
        // Each post is visited once. The posts of one walk have its number.
        let mut walks = HashMap::with_capacity(self.merged.len());
        for (walk, &start) in self.merged.keys().enumerate() {
            let mut post = start;
            while let Some(&(into, _)) = self.merged.get(&post)
                && !walks.contains_key(&post)
            {
                walks.insert(post, walk);
                post = into;
            }
            if walks.get(&post) == Some(&walk) {
                first = first.min(self.last_line_of_circle(post));
            }
        }
        first
    }

    fn last_line_of_circle(&self, through: PostId) -> u64 {
        let mut last = 0;
        let mut post = through;
        while let Some(&(into, number)) = self.merged.get(&post) {
            last = last.max(number);
            post = into;
            if post == through {
                break;
            }
        }
        last
    }
}

#[cfg(test)]
mod tests {
    use super::super::records::Home;
    use super::*;
    use crate::{MasterKey, Vault};
    use hearback_domain::Time;
    use std::io::Cursor;
    use std::sync::Arc;

    const ORGANIZATION: &str = r#"{"kind":"organization","id":"00000000-0000-7000-8000-000000000001","name":"Acme","slug":"acme","created_at":"2026-01-01"}"#;

    fn tag(id: u8) -> String {
        format!(
            r##"{{"kind":"tag","id":"00000000-0000-7000-8000-0000000001{id:02}","name":"T","color":"#fff","created_at":"2026-01-01"}}"##
        )
    }

    fn comment(id: u8, parent: Option<u8>) -> String {
        let id_of = |id: u8| format!("\"00000000-0000-7000-8000-0000000002{id:02}\"");
        let parent = parent.map_or("null".to_owned(), id_of);
        let id = id_of(id);
        let other = id_of(99);
        format!(
            r#"{{"kind":"comment","id":{id},"content":"c","author_id":{other},"parent_comment_id":{parent},"feedback_post_id":{other},"created_at":"2026-01-01"}}"#
        )
    }

    /// The kind and the line numbers of a batch.
    type Put = (Kind, Vec<u64>);

    /// The batches of a file, and the result of reading it.
    fn steps(file: impl AsRef<[u8]>) -> (Vec<Put>, Result<(), String>) {
        let vault = Arc::new(Vault::new(&MasterKey::parse(&"ab".repeat(32)).unwrap()));
        let mut steps = Vec::new();
        let ended =
            read(Cursor::new(file), Context { vault, now: Time::MAX, home: None }, &mut |step| {
                if let Step::Put { batch, lines, .. } = step {
                    steps.push((batch.kind(), lines));
                }
                true
            });
        (steps, ended.map_err(|error| error.to_string()))
    }

    #[test]
    fn records_of_one_kind_go_together_and_blank_lines_count_as_lines() {
        let file = format!("\u{feff}{ORGANIZATION}\r\n\n{}\r\n  \n{}", tag(1), tag(2));
        let (steps, ended) = steps(file);
        assert_eq!(steps, [(Kind::Organization, vec![1]), (Kind::Tag, vec![3, 5])]);
        assert_eq!(ended, Ok(()));
    }

    #[test]
    fn records_before_a_faulty_line_are_handed_on_first() {
        let (steps, ended) =
            steps(format!("{ORGANIZATION}\n{}\n{{\"kind\":\"tag\"}}\n{}", tag(1), tag(2)));
        assert_eq!(steps, [(Kind::Organization, vec![1]), (Kind::Tag, vec![2])]);
        assert_eq!(ended, Err("line 3: missing field `id`".to_owned()));
    }

    #[test]
    fn all_faults_of_lines_are_found_up_to_a_number() {
        let article = |more: &str| {
            format!(
                r#"{{"kind":"help_article","id":"00000000-0000-7000-8000-000000000009","title":"T","slug":"t","version":2,"collection_id":"00000000-0000-7000-8000-000000000010","created_at":"2026-01-01"{more}}}"#
            )
        };
        let version = r#"{"kind":"help_article_version","id":"00000000-0000-7000-8000-000000000011","help_article_id":"00000000-0000-7000-8000-000000000009","version":1,"title":"T","created_at":"2026-01-01"}"#;
        let file = |article: &str| {
            [ORGANIZATION, "{", &tag(1), article, version, r#"{"kind":"badge"}"#].join("\n")
        };
        // The version is not to blame for an article whose line has a fault.
        let faulty = article(r#","status_code":"gone""#);
        let (handed_on, ended) = steps(file(&faulty));
        assert_eq!(handed_on, [(Kind::Organization, vec![1])]);
        let ended = ended.unwrap_err();
        let lines: Vec<_> = ended.lines().map(|it| it.split(':').next().unwrap()).collect();
        assert_eq!(lines, ["line 2", "line 4", "line 6"], "{ended}");
        let (_, ended) = steps(file(&article("")));
        assert_eq!(ended.unwrap_err().lines().count(), 2);

        let file = format!("{ORGANIZATION}\n{}", "no JSON\n".repeat(MOST_FAULTS + 1));
        assert_eq!(steps(file).1.unwrap_err().lines().count(), MOST_FAULTS);
        let headless = format!("{{\n{}\n{}", tag(1), tag(2));
        assert_eq!(steps(headless).1, Err("line 1: EOF while parsing an object".to_owned()));
    }

    #[test]
    fn a_comment_that_comes_after_its_reply_is_not_in_the_same_batch() {
        let (steps, _) = steps(
            [ORGANIZATION.to_owned(), comment(1, None), comment(2, Some(3)), comment(3, None)]
                .join("\n"),
        );
        assert_eq!(steps[1..], [(Kind::Comment, vec![2, 3]), (Kind::Comment, vec![4])]);
        let (steps, _) = self::steps(
            [ORGANIZATION.to_owned(), comment(1, None), comment(2, Some(1))].join("\n"),
        );
        assert_eq!(steps[1..], [(Kind::Comment, vec![2, 3])]);
    }

    #[test]
    fn a_fault_names_its_line_and_member() {
        let with = |line: &str| steps(format!("{ORGANIZATION}\n{line}")).1.unwrap_err();
        let faults = [
            ("[]", "line 2: not a JSON object"),
            ("{", "line 2: EOF while parsing"),
            (r#"{"id":1}"#, "line 2: missing field `kind`"),
            (r#"{"kind":"badge"}"#, "line 2: kind: no record has this kind"),
            (&tag(1).replace("#fff", "white"), "line 2: color: not # and 3, 4, 6 or 8 hex digits"),
            (&tag(1).replace("\"T\"", "\"\\u0000\""), "line 2: name: contains U+0000"),
            (
                &tag(1).replace("\"T\"", "5"),
                "line 2: name: invalid type: integer `5`, expected a string",
            ),
            (&tag(1).replace("name", "nane"), "line 2: nane: unknown field `nane`"),
            (&tag(1).replace("2026-01-01", "soon"), "line 2: created_at: not a timestamp"),
            (&format!("{} x", tag(1)), "line 2: trailing characters"),
        ];
        for (line, expected) in faults {
            assert!(with(line).starts_with(expected), "{line}: {}", with(line));
        }
        let merge = r#"{"kind":"merge","id":"ID","merge_post_id":"ID","into_post_id":"ID","merger_id":"ID","moved_user_ids":[],"dropped_user_ids":[],"created_at":"2026-01-01"}"#;
        let merge = merge.replace("ID", "00000000-0000-7000-8000-000000000009");
        assert_eq!(with(&merge), "line 2: into_post_id: a post is not merged into itself");
        assert_eq!(steps(tag(1)).1, Err("line 1: comes before any organization".to_owned()));
        assert!(steps(b"\xff\n").1.unwrap_err().starts_with("line 1: "));
    }

    #[test]
    fn merges_in_a_circle_are_a_fault_of_the_line_that_closes_it() {
        let id = |post: u8| format!("00000000-0000-7000-8000-0000000003{post:02}");
        let post = |(post, into): (u8, u8)| {
            let (id, into, other) = (id(post), id(into), id(99));
            format!(
                r#"{{"kind":"feedback_post","id":"{id}","title":"P","slug":"p{post}","board_id":"{other}","author_id":"{other}","status_id":"{other}","merged_into_id":"{into}","created_at":"2026-01-01"}}"#
            )
        };
        let ended = |merges: &[(u8, u8)]| {
            let lines: Vec<_> = merges.iter().copied().map(post).collect();
            steps(format!("{ORGANIZATION}\n{}", lines.join("\n"))).1
        };
        let fault = |line: u8| {
            Err(format!("line {line}: merged_into_id: the merges lead back to this post"))
        };
        assert_eq!(ended(&[(1, 2), (2, 3), (4, 2)]), Ok(()));
        assert_eq!(ended(&[(1, 2), (2, 2)]), fault(3));
        assert_eq!(ended(&[(9, 1), (1, 2), (2, 3), (8, 3), (3, 1), (7, 1)]), fault(6));
        // The circle that begins first closes last.
        assert_eq!(ended(&[(1, 2), (3, 4), (4, 3), (2, 1)]), fault(4));
    }

    #[test]
    fn an_image_is_an_address_on_the_web() {
        let ended = |url: &str| {
            let entry = r#"{"kind":"changelog_entry","id":"00000000-0000-7000-8000-000000000009","title":"T","slug":"t","status_code":"draft","featured_image_url":"URL","created_at":"2026-01-01"}"#;
            steps(format!("{ORGANIZATION}\n{}", entry.replace("URL", url))).1
        };
        assert_eq!(ended("HTTPS://example.com/Ä.png?x=1#y"), Ok(()));
        for url in [
            "",
            "dark.png",
            "//example.com/dark.png",
            "ftp://example.com/dark.png",
            "javascript:alert(1)",
            "https://",
        ] {
            assert_eq!(
                ended(url),
                Err("line 2: featured_image_url: not an http or https URL".to_owned()),
                "{url}"
            );
        }
    }

    #[test]
    fn a_receiver_is_an_address_on_the_web_that_names_no_user() {
        let ended = |url: &str| {
            let subscription = r#"{"kind":"webhook_subscription","id":"00000000-0000-7000-8000-000000000009","url":"URL","created_at":"2026-01-01"}"#;
            steps(format!("{ORGANIZATION}\n{}", subscription.replace("URL", url))).1
        };
        assert_eq!(ended("https://acme.example/hook?token=1"), Ok(()));
        assert_eq!(ended("http://10.0.0.1:8080/hook"), Ok(()));
        assert_eq!(ended("acme.example"), Err("line 2: url: not an http or https URL".to_owned()));
        assert_eq!(
            ended("https://me:s3cr3t@acme.example"),
            Err("line 2: url: a URL with a user or password in it".to_owned())
        );
    }

    /// The records that `lines` add to an organization that has one user, Ada.
    fn at_home(lines: &[&str], makes_owners: bool) -> Result<Vec<Record>, String> {
        let vault = Arc::new(Vault::new(&MasterKey::parse(&"ab".repeat(32)).unwrap()));
        let people = [("ada@example.com".to_owned(), UserId(Uuid::from_u128(7)))].into();
        let organization = OrganizationId(Uuid::from_u128(99));
        let home = Some(Home { organization, people, makes_owners });
        let mut records = Vec::new();
        let file = Cursor::new(lines.join("\n"));
        read(file, Context { vault, now: Time::MAX, home }, &mut |step| {
            if let Step::Put { organization: at, batch, .. } = step {
                assert_eq!(at, organization);
                records.extend(batch.into_records());
            }
            true
        })
        .map_err(|error| error.to_string())?;
        Ok(records)
    }

    fn user(id: u8, email: &str, role: &str) -> String {
        format!(
            r#"{{"kind":"user","id":"00000000-0000-7000-8000-0000000004{id:02}","user_id":"00000000-0000-7000-8000-0000000002{id:02}","email":"{email}","name":"N","portal_role":"{role}","created_at":"2026-01-01"}}"#
        )
    }

    #[test]
    fn people_who_are_there_already_stand_for_those_of_the_file() {
        let ada = user(99, "Ada@Example.com", "owner");
        let eve = user(98, "eve@example.com", "member");
        let records = at_home(&[ORGANIZATION, &ada, &eve, &comment(1, None)], false).unwrap();
        let [Record::User(user), Record::Comment(comment)] = &records[..] else {
            panic!("{records:?}")
        };
        assert_eq!(user.email, "eve@example.com");
        assert_eq!(comment.author_id, UserId(Uuid::from_u128(7)));
    }

    #[test]
    fn an_organization_is_filled_by_one_organization_and_with_owners_by_owners_alone() {
        let olga = user(1, "olga@example.com", "owner");
        assert_eq!(
            at_home(&[ORGANIZATION, &olga], false),
            Err("line 2: portal_role: only owners make owners".to_owned())
        );
        assert_eq!(at_home(&[ORGANIZATION, &olga], true).unwrap().len(), 1);
        assert_eq!(
            at_home(&[ORGANIZATION, &tag(1), ORGANIZATION], true),
            Err("line 3: kind: the records of one organization alone".to_owned())
        );
    }

    #[test]
    fn a_secret_in_the_wrong_member_is_not_quoted() {
        let tag = tag(1);
        let (record, _) = tag.rsplit_once('}').unwrap();
        for secret in [r"whsec_s3cr3t", r#"s3cr3t\", expected s3cr3t at line 1 column 2"#] {
            let (_, ended) =
                steps(format!("{ORGANIZATION}\n{record},\"is_active\":\"{secret}\"}}"));
            assert_eq!(
                ended,
                Err("line 2: is_active: invalid type: string, expected a boolean".to_owned())
            );
        }
        let key = r#"{"kind":"api_key","id":"00000000-0000-7000-8000-000000000003","key":"hbk_s3cr3t","created_at":"2026-01-01"}"#;
        let (_, ended) = steps(format!("{ORGANIZATION}\n{key}"));
        assert_eq!(ended, Err("line 2: key: a key is hbk_ and 43 URL-safe characters".to_owned()));
    }

    #[test]
    fn a_line_of_more_than_16_mib_is_a_fault_and_is_not_read_to_its_end() {
        let file = Cursor::new(ORGANIZATION).chain(Cursor::new("\n")).chain(std::io::repeat(b'x'));
        let vault = Arc::new(Vault::new(&MasterKey::parse(&"ab".repeat(32)).unwrap()));
        let ended = read(
            std::io::BufReader::new(file),
            Context { vault, now: Time::MAX, home: None },
            &mut |_| true,
        );
        assert_eq!(
            ended.map_err(|error| error.to_string()),
            Err("line 2: longer than 16 MiB".to_owned())
        );
    }
}
