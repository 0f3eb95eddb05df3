//! The texts that were sent lately, so that nobody posts one twice.

use hearback_domain::fold::Folded;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::spam::SAME_TEXT_MILLIS;
use hearback_http::Network;
use ring::digest::{SHA256, digest};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The texts that were sent lately. Each process keeps its own, and at most 10,000 of them.
#[derive(Default)]
pub struct Recent(Mutex<HashMap<Sent, Earlier>>);

/// Somebody who sends texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sender {
    /// A person who is known.
    Author(UserId),
    /// The network of a person who is not.
    Network(Network),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Sent {
    organization: OrganizationId,
    sender: Sender,
    text: [u8; 16],
}

/// The post or comment that an earlier text has become.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Earlier {
    /// The slug of the post, or of the post of the comment.
    pub post: String,
    /// The place of the comment on the page: `#c-` and its identifier.
    pub place: String,
    /// The number of the form.
    pub form: String,
    at: Duration,
}

impl Recent {
    /// What a text has become that one of the senders has sent by another form.
    pub fn find(
        &self,
        organization: OrganizationId,
        senders: &[Sender],
        text: &str,
        form: &str,
        now: Duration,
    ) -> Option<Earlier> {
        let text = short(text);
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = |sender: &Sender| kept.get(&Sent { organization, sender: *sender, text });
        let is_other = |it: &&Earlier| is_recent(it.at, now) && it.form != form;
        senders.iter().filter_map(found).find(is_other).cloned()
    }

    /// Notes what a text has become.
    pub fn note(
        &self,
        organization: OrganizationId,
        senders: &[Sender],
        text: &str,
        [post, place, form]: [&str; 3],
        now: Duration,
    ) {
        let text = short(text);
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() + senders.len() > MOST {
            kept.retain(|_, it| is_recent(it.at, now));
        }
        if kept.len() + senders.len() > MOST {
            // A flood must not take more memory. It meets the limits of forms.
            kept.clear();
        }
        let [post, place, form] = [post, place, form].map(str::to_owned);
        let earlier = Earlier { post, place, form, at: now };
        kept.extend(
            senders
                .iter()
                .map(|sender| (Sent { organization, sender: *sender, text }, earlier.clone())),
        );
    }
}

/// The most texts that are kept. One takes about 400 bytes.
const MOST: usize = 10_000;

fn is_recent(at: Duration, now: Duration) -> bool {
    now.saturating_sub(at).as_millis() < SAME_TEXT_MILLIS as u128
}

/// The beginning of the digest of a text, in which case and white space do not count.
fn short(text: &str) -> [u8; 16] {
    let words: Vec<&str> = text.split_whitespace().collect();
    let folded = Folded::new(&words.join(" "));
    let mut short = [0; 16];
    let digest = digest(&SHA256, folded.as_str().as_bytes());
    short.iter_mut().zip(digest.as_ref()).for_each(|(to, from)| *to = *from);
    short
}

#[cfg(test)]
mod tests {
    use super::*;
    use hearback_domain::Uuid;
    use std::net::IpAddr;

    const TEN_MINUTES: Duration = Duration::from_millis(SAME_TEXT_MILLIS as u64);

    fn acme(n: u128) -> OrganizationId {
        Uuid::from_u128(n).into()
    }

    fn author(n: u128) -> Sender {
        Sender::Author(Uuid::from_u128(n).into())
    }

    fn network(address: &str) -> Sender {
        Sender::Network(address.parse::<IpAddr>().unwrap().into())
    }

    #[test]
    fn a_text_is_found_for_ten_minutes_by_its_author_and_its_network() {
        let recent = Recent::default();
        let ada = [author(1), network("192.0.2.1")];
        let said = ["dark-mode", "", "form"];
        recent.note(acme(1), &ada, "Dark  mode\nplease", said, Duration::ZERO);
        let find = |of, senders: &[Sender], text, form, now| {
            recent.find(acme(of), senders, text, form, now).map(|it| it.post)
        };
        let last = TEN_MINUTES - Duration::from_millis(1);
        let found = Some("dark-mode".to_owned());
        for senders in [[author(1), network("198.51.100.1")], [author(2), network("192.0.2.9")]] {
            assert_eq!(find(1, &senders, "dark mode PLEASE ", "other", last), found);
        }
        for (of, senders, text, form, now) in [
            (2, ada, "Dark mode please", "other", last),
            (1, [author(2), network("198.51.100.1")], "Dark mode please", "other", last),
            (1, ada, "Dark mode", "other", last),
            (1, ada, "Dark mode please", "form", last),
            (1, ada, "Dark mode please", "other", TEN_MINUTES),
        ] {
            assert_eq!(find(of, &senders, text, form, now), None);
        }
    }

    #[test]
    fn a_flood_of_texts_takes_no_more_memory() {
        let recent = Recent::default();
        for n in 0..MOST + 5 {
            let text = n.to_string();
            recent.note(acme(1), &[author(1)], &text, ["a", "", "b"], Duration::ZERO);
        }
        assert!(recent.0.lock().unwrap().len() <= MOST);
    }
}
