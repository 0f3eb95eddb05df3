//! Cursors: the position in a list where the next page begins. Only this server can make one.
//!
//! A cursor is `version (1 byte) | position | tag (16 bytes)` in unpadded base64url. The tag is
//! HMAC-SHA256, cut to 128 bits, over version, organization, list, sort, filters and position. A
//! cursor does not open if it is damaged, or if organization, list, sort or filters differ. Its key
//! is derived from the master key, so it opens on every replica and after a restart.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hearback_domain::attributes::Attributes;
use hearback_domain::id::OrganizationId;
use hearback_domain::position::Position;
use hearback_domain::{Time, Uuid};
use hearback_ports::PageRequest;
use hearback_ports::attributes::to_json;
use hearback_ports::page::{
    ArticlePlace, ByArticle, ByDelivery, ByName, ByOptionalTime, ByPosition, ByPost, BySort,
    ByTime, ByVersion, PostPlace, SortPlace,
};
use ring::hmac;

/// Makes and opens cursors.
pub(crate) struct Cursors(hmac::Key);

/// A list with its organization, sort and filters. A cursor is bound to all of these.
pub(crate) struct List {
    key: hmac::Key,
    bound: hmac::Context,
}

/// A request for a page, and its list.
pub(crate) struct Paging<K> {
    /// The page.
    pub(crate) page: PageRequest<K>,
    /// The list, which makes the cursor of the next page.
    pub(crate) list: List,
}

/// A cursor that a client sent. Its tag is checked when its list opens it.
pub(crate) struct Cursor {
    position: Vec<u8>,
    tag: [u8; TAG_LENGTH],
}

/// The sort key of a list, encoded as bytes.
pub(crate) trait SortKey: Sized {
    /// Appends the bytes.
    fn encode(&self, bytes: &mut Vec<u8>);
    /// Reads the output of [`SortKey::encode`]. `None` if the bytes are anything else.
    fn decode(bytes: &[u8]) -> Option<Self>;
}

impl Cursors {
    /// Makes cursors with this key, which every replica has.
    pub(crate) fn new(key: &[u8; 32]) -> Self {
        Self(hmac::Key::new(hmac::HMAC_SHA256, key))
    }

    /// A list without filters. `path` is the path of its endpoint.
    pub(crate) fn list(
        &self,
        organization: OrganizationId,
        path: &'static str,
        sort: &'static str,
    ) -> List {
        let mut bound = hmac::Context::with_key(&self.0);
        bound.update(&[VERSION]);
        bound.update(organization.0.as_bytes());
        List { key: self.0.clone(), bound }.filter(Some(path)).filter(Some(sort))
    }
}

impl List {
    /// Adds a filter to the list, `None` if the request does not use it. A list must add all of its
    /// filters, always in the same order.
    pub(crate) fn filter(mut self, value: Option<impl AsRef<[u8]>>) -> Self {
        // The length keeps two lists of filters from being the same bytes.
        match value {
            None => self.bound.update(&[0]),
            Some(value) => {
                let value = value.as_ref();
                self.bound.update(&[1]);
                self.bound.update(&(value.len() as u64).to_be_bytes());
                self.bound.update(value);
            }
        }
        self
    }

    /// Adds a filter that is a set of identifiers, empty if the request does not use it. The order
    /// of the identifiers does not matter.
    pub(crate) fn filter_by_any<T: Copy + Into<Uuid>>(self, ids: &[T]) -> Self {
        let mut ids: Vec<Uuid> = ids.iter().map(|id| (*id).into()).collect();
        ids.sort_unstable();
        let bytes: Vec<u8> = ids.iter().flat_map(|id| *id.as_bytes()).collect();
        self.filter((!bytes.is_empty()).then_some(bytes))
    }

    /// Adds a filter by attributes, empty if the request does not use it.
    pub(crate) fn filter_by_attributes(self, attributes: &Attributes) -> Self {
        self.filter((!attributes.is_empty()).then(|| to_json(attributes)))
    }

    /// Makes the cursor of a position in this list.
    pub(crate) fn seal(&self, position: &impl SortKey) -> String {
        let mut bytes = vec![VERSION];
        position.encode(&mut bytes);
        let tag = self.tag(&bytes[1..]);
        bytes.extend_from_slice(&tag);
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Returns the position of a cursor. `None` if the cursor is not of this list.
    pub(crate) fn open<K: SortKey>(&self, cursor: &Cursor) -> Option<K> {
        // ring verifies in constant time, but only whole tags. So the cut tags are signed once
        // more, and the whole tags of both are compared.
        let expected = hmac::sign(&self.key, &self.tag(&cursor.position));
        hmac::verify(&self.key, &cursor.tag, expected.as_ref()).ok()?;
        K::decode(&cursor.position)
    }

    fn tag(&self, position: &[u8]) -> [u8; TAG_LENGTH] {
        let mut context = self.bound.clone();
        context.update(position);
        let mut tag = [0; TAG_LENGTH];
        tag.copy_from_slice(&context.sign().as_ref()[..TAG_LENGTH]);
        tag
    }
}

impl Cursor {
    /// The length in characters of the shortest text that has the form of a cursor.
    pub(crate) const MIN_LENGTH: usize = (8 * (1 + TAG_LENGTH)).div_ceil(6);

    /// Parses a text. `None` if it does not have the form of a cursor.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (&VERSION, rest) = bytes.split_first()? else { return None };
        let (position, tag) = rest.split_last_chunk()?;
        Some(Self { position: position.to_vec(), tag: *tag })
    }
}

// Each key begins with its parts of fixed length. So a text at the end needs no length.

impl SortKey for ByTime {
    fn encode(&self, bytes: &mut Vec<u8>) {
        encode_integer(self.at.unix_millis(), bytes);
        encode_id(self.id, bytes);
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (at, bytes) = decode_time(bytes)?;
        let (id, &[]) = decode_id(bytes)? else { return None };
        Some(Self { at, id })
    }
}

impl SortKey for ByDelivery {
    fn encode(&self, bytes: &mut Vec<u8>) {
        encode_integer(self.at.unix_millis(), bytes);
        encode_id(self.event.0, bytes);
        encode_id(self.subscription.0, bytes);
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (at, bytes) = decode_time(bytes)?;
        let (event, bytes) = decode_id(bytes)?;
        let (subscription, &[]) = decode_id(bytes)? else { return None };
        Some(Self { at, event: event.into(), subscription: subscription.into() })
    }
}

impl SortKey for ByOptionalTime {
    fn encode(&self, bytes: &mut Vec<u8>) {
        encode_id(self.id, bytes);
        if let Some(at) = self.at {
            encode_integer(at.unix_millis(), bytes);
        }
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (id, bytes) = decode_id(bytes)?;
        if bytes.is_empty() {
            return Some(Self { at: None, id });
        }
        let (at, &[]) = decode_time(bytes)? else { return None };
        Some(Self { at: Some(at), id })
    }
}

impl SortKey for ByName {
    fn encode(&self, bytes: &mut Vec<u8>) {
        encode_id(self.id, bytes);
        bytes.extend_from_slice(self.name.as_bytes());
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (id, name) = decode_id(bytes)?;
        Some(Self { name: decode_text(name)?, id })
    }
}

impl SortKey for ByPosition {
    fn encode(&self, bytes: &mut Vec<u8>) {
        encode_integer(self.position.ten_thousandths(), bytes);
        encode_id(self.id, bytes);
        bytes.extend_from_slice(self.name.as_bytes());
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (position, bytes) = decode_position(bytes)?;
        let (id, name) = decode_id(bytes)?;
        Some(Self { position, name: decode_text(name)?, id })
    }
}

impl SortKey for ByVersion {
    fn encode(&self, bytes: &mut Vec<u8>) {
        encode_integer(self.0, bytes);
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (version, &[]) = decode_integer(bytes)? else { return None };
        Some(Self(version))
    }
}

impl SortKey for ByArticle {
    fn encode(&self, bytes: &mut Vec<u8>) {
        encode_id(self.id, bytes);
        match &self.place {
            ArticlePlace::Time(at) => {
                bytes.push(PLACE_TIME);
                encode_integer(at.unix_millis(), bytes);
            }
            ArticlePlace::Title(title) => {
                bytes.push(PLACE_TITLE);
                bytes.extend_from_slice(title.as_bytes());
            }
            ArticlePlace::Position(position) => {
                bytes.push(PLACE_POSITION);
                encode_integer(position.ten_thousandths(), bytes);
            }
        }
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (id, bytes) = decode_id(bytes)?;
        let (&kind, bytes) = bytes.split_first()?;
        let (place, rest) = match kind {
            PLACE_TIME => decode_time(bytes).map(|(at, rest)| (ArticlePlace::Time(at), rest))?,
            PLACE_TITLE => (ArticlePlace::Title(decode_text(bytes)?), &[][..]),
            PLACE_POSITION => decode_position(bytes)
                .map(|(position, rest)| (ArticlePlace::Position(position), rest))?,
            _ => return None,
        };
        rest.is_empty().then_some(Self { place, id })
    }
}

// A place of a post is known by its length. That of a time is as that of any list by time.
impl SortKey for ByPost {
    fn encode(&self, bytes: &mut Vec<u8>) {
        let first = match self.place {
            PostPlace::Time(at) => at.unix_millis(),
            PostPlace::Votes(number)
            | PostPlace::Trend { votes: number, .. }
            | PostPlace::Spend(number) => number,
        };
        encode_integer(first, bytes);
        encode_id(self.id, bytes);
        match self.place {
            PostPlace::Time(_) => {}
            PostPlace::Votes(_) => bytes.push(PLACE_VOTES),
            PostPlace::Spend(_) => bytes.push(PLACE_SPEND),
            PostPlace::Trend { recent, .. } => encode_integer(recent, bytes),
        }
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        if let Some(ByTime { at, id }) = ByTime::decode(bytes) {
            return Some(Self { place: PostPlace::Time(at), id });
        }
        let (number, bytes) = decode_integer(bytes)?;
        let (id, bytes) = decode_id(bytes)?;
        let place = match bytes {
            [PLACE_VOTES] => PostPlace::Votes(number),
            [PLACE_SPEND] => PostPlace::Spend(number),
            bytes => {
                let (recent, &[]) = decode_integer(bytes)? else { return None };
                PostPlace::Trend { recent, votes: number }
            }
        };
        Some(Self { place, id })
    }
}

const PLACE_VOTES: u8 = 0;
const PLACE_SPEND: u8 = 1;

impl SortKey for BySort {
    fn encode(&self, bytes: &mut Vec<u8>) {
        encode_id(self.id, bytes);
        match &self.place {
            SortPlace::Time(at) => {
                bytes.push(PLACE_TIME);
                encode_integer(at.unix_millis(), bytes);
            }
            SortPlace::Name(name) => {
                bytes.push(PLACE_TITLE);
                bytes.extend_from_slice(name.as_bytes());
            }
            SortPlace::Amount(amount) => {
                bytes.push(PLACE_POSITION);
                encode_integer(*amount, bytes);
            }
        }
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (id, bytes) = decode_id(bytes)?;
        let (&kind, bytes) = bytes.split_first()?;
        let (place, rest) = match kind {
            PLACE_TIME => decode_time(bytes).map(|(at, rest)| (SortPlace::Time(at), rest))?,
            PLACE_TITLE => (SortPlace::Name(decode_text(bytes)?), &[][..]),
            PLACE_POSITION => {
                decode_integer(bytes).map(|(amount, rest)| (SortPlace::Amount(amount), rest))?
            }
            _ => return None,
        };
        rest.is_empty().then_some(Self { place, id })
    }
}

const PLACE_TIME: u8 = 0;
const PLACE_TITLE: u8 = 1;
const PLACE_POSITION: u8 = 2;

fn encode_integer(value: i64, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(&value.to_be_bytes());
}

fn encode_id(id: Uuid, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(id.as_bytes());
}

/// Takes an integer from the front of the bytes. Returns it with the rest.
fn decode_integer(bytes: &[u8]) -> Option<(i64, &[u8])> {
    let (integer, rest) = bytes.split_first_chunk()?;
    Some((i64::from_be_bytes(*integer), rest))
}

fn decode_time(bytes: &[u8]) -> Option<(Time, &[u8])> {
    let (millis, rest) = decode_integer(bytes)?;
    Some((Time::from_unix_millis(millis).ok()?, rest))
}

fn decode_position(bytes: &[u8]) -> Option<(Position, &[u8])> {
    let (value, rest) = decode_integer(bytes)?;
    Some((Position::from_ten_thousandths(value), rest))
}

fn decode_id(bytes: &[u8]) -> Option<(Uuid, &[u8])> {
    let (id, rest) = bytes.split_first_chunk()?;
    Some((Uuid::from_bytes(*id), rest))
}

/// A text, which takes all of the bytes.
fn decode_text(bytes: &[u8]) -> Option<String> {
    std::str::from_utf8(bytes).ok().map(str::to_owned)
}

/// Changes when the meaning of a cursor's bytes changes.
const VERSION: u8 = 1;
const TAG_LENGTH: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NONE: Option<&str> = None;
    const ORGANIZATION: OrganizationId = OrganizationId(Uuid::from_u128(1));

    fn cursors() -> Cursors {
        Cursors::new(&[7; 32])
    }

    fn list() -> List {
        cursors().list(ORGANIZATION, "/comments/list", "oldest").filter(Some("post")).filter(NONE)
    }

    fn open(list: &List, cursor: &str) -> Option<ByTime> {
        list.open(&Cursor::parse(cursor)?)
    }

    fn times() -> impl Strategy<Value = Time> {
        (Time::MIN.unix_millis()..=Time::MAX.unix_millis())
            .prop_map(|millis| Time::from_unix_millis(millis).unwrap())
    }

    fn positions() -> impl Strategy<Value = Position> {
        any::<i64>().prop_map(Position::from_ten_thousandths)
    }

    fn places() -> impl Strategy<Value = ArticlePlace> {
        prop_oneof![
            times().prop_map(ArticlePlace::Time),
            any::<String>().prop_map(ArticlePlace::Title),
            positions().prop_map(ArticlePlace::Position),
        ]
    }

    fn post_places() -> impl Strategy<Value = PostPlace> {
        prop_oneof![
            times().prop_map(PostPlace::Time),
            any::<i64>().prop_map(PostPlace::Votes),
            any::<(i64, i64)>().prop_map(|(recent, votes)| PostPlace::Trend { recent, votes }),
        ]
    }

    prop_compose! {
        fn position()(at in times(), id: u128) -> ByTime {
            ByTime { at, id: Uuid::from_u128(id) }
        }
    }

    fn is_read_back<K: SortKey + PartialEq>(key: &K) -> bool {
        let cursor = list().seal(key);
        list().open(&Cursor::parse(&cursor).unwrap()).as_ref() == Some(key)
    }

    /// Whether `decode` refuses all bytes that `encode` does not write: bytes that it reads are
    /// encoded as the same bytes again.
    fn is_strict<K: SortKey>(bytes: &[u8]) -> bool {
        K::decode(bytes).is_none_or(|key| {
            let mut written = Vec::new();
            key.encode(&mut written);
            written == bytes
        })
    }

    proptest! {
        #[test]
        fn every_position_is_read_back_from_its_cursor(
            at in times(), time in proptest::option::of(times()), name: String, position in positions(), place in places(), of_post in post_places(), id: u128,
        ) {
            let id = Uuid::from_u128(id);
            let read_back = [
                is_read_back(&ByTime { at, id }),
                is_read_back(&ByOptionalTime { at: time, id }),
                is_read_back(&ByPosition { position, name: name.clone(), id }),
                is_read_back(&BySort { place: SortPlace::Time(at), id }),
                is_read_back(&BySort { place: SortPlace::Name(name.clone()), id }),
                is_read_back(&BySort { place: SortPlace::Amount(at.unix_millis()), id }),
                is_read_back(&ByName { name, id }),
                is_read_back(&ByArticle { place, id }),
                is_read_back(&ByPost { place: of_post, id }),
                is_read_back(&ByVersion(at.unix_millis())),
            ];
            prop_assert_eq!(read_back, [true; 10]);
        }

        #[test]
        fn only_encoded_positions_are_decoded(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            prop_assert!(is_strict::<ByTime>(&bytes));
            prop_assert!(is_strict::<ByOptionalTime>(&bytes));
            prop_assert!(is_strict::<ByName>(&bytes));
            prop_assert!(is_strict::<ByPosition>(&bytes));
            prop_assert!(is_strict::<BySort>(&bytes));
            prop_assert!(is_strict::<ByVersion>(&bytes));
            prop_assert!(is_strict::<ByArticle>(&bytes));
            prop_assert!(is_strict::<ByPost>(&bytes));
        }

        #[test]
        fn a_cursor_with_another_character_anywhere_does_not_open(position in position(), at: prop::sample::Index, to in "[A-Za-z0-9_-]") {
            let mut cursor = list().seal(&position);
            let at = at.index(cursor.len());
            prop_assume!(cursor[at..=at] != to);
            cursor.replace_range(at..=at, &to);
            prop_assert_eq!(open(&list(), &cursor), None);
        }

        #[test]
        fn a_cursor_that_was_cut_or_added_to_does_not_open(position in position(), cut in 1_usize..55, more in "[A-Za-z0-9_-]{1,8}") {
            let cursor = list().seal(&position);
            prop_assert_eq!(open(&list(), &cursor[..cursor.len() - cut]), None);
            prop_assert_eq!(open(&list(), &cursor[cut..]), None);
            prop_assert_eq!(open(&list(), &(cursor + &more)), None);
        }

        #[test]
        fn no_other_list_opens_it(position in position(), organization: u128, path in "/[a-z]{0,9}", filters: [Option<Vec<u8>>; 2]) {
            let cursor = list().seal(&position);
            let path: &'static str = path.leak();
            let [first, second] = &filters;
            prop_assume!(filters != [Some(b"post".to_vec()), None]);
            let others = [
                cursors().list(OrganizationId(Uuid::from_u128(organization)), "/comments/list", "oldest").filter(Some("post")).filter(NONE),
                cursors().list(ORGANIZATION, path, "oldest").filter(Some("post")).filter(NONE),
                cursors().list(ORGANIZATION, "/comments/list", "newest").filter(Some("post")).filter(NONE),
                cursors().list(ORGANIZATION, "/comments/list", "oldest").filter(first.as_deref()).filter(second.as_deref()),
                Cursors::new(&[8; 32]).list(ORGANIZATION, "/comments/list", "oldest").filter(Some("post")).filter(NONE),
            ];
            for other in others.iter().skip(usize::from(organization == 1)) {
                prop_assert_eq!(open(other, &cursor), None);
            }
        }

        #[test]
        fn any_text_is_read_without_a_panic(text: String, bytes: Vec<u8>) {
            prop_assert_eq!(open(&list(), &text), None);
            prop_assert_eq!(open(&list(), &URL_SAFE_NO_PAD.encode(bytes)), None);
        }
    }

    #[test]
    fn the_border_between_two_filters_matters() {
        let of = |first: Option<&[u8]>, second: Option<&[u8]>| {
            cursors().list(ORGANIZATION, "/x", "newest").filter(first).filter(second)
        };
        let position = ByTime { at: Time::MIN, id: Uuid::nil() };
        let cursor = of(Some(b"ab"), Some(b"c")).seal(&position);
        assert_eq!(open(&of(Some(b"ab"), Some(b"c")), &cursor), Some(position));
        for (first, second) in [(&b"a"[..], &b"bc"[..]), (b"abc", b""), (b"", b"abc")] {
            assert_eq!(open(&of(Some(first), Some(second)), &cursor), None);
        }
        let empty = of(Some(b""), None).seal(&position);
        assert_eq!(open(&of(None, Some(b"")), &empty), None);
    }

    #[test]
    fn the_order_of_identifiers_in_a_filter_does_not_matter() {
        let of = |ids: &[u128]| {
            let ids: Vec<Uuid> = ids.iter().map(|id| Uuid::from_u128(*id)).collect();
            cursors().list(ORGANIZATION, "/x", "newest").filter_by_any(&ids)
        };
        let position = ByTime { at: Time::MIN, id: Uuid::nil() };
        let cursor = of(&[1, 2]).seal(&position);
        assert_eq!(open(&of(&[2, 1]), &cursor), Some(position));
        for others in [&[1][..], &[2], &[1, 3], &[1, 2, 3], &[]] {
            assert_eq!(open(&of(others), &cursor), None);
        }
    }

    #[test]
    fn a_cursor_of_another_version_does_not_open() {
        let mut bytes = URL_SAFE_NO_PAD
            .decode(list().seal(&ByTime { at: Time::MIN, id: Uuid::nil() }))
            .unwrap();
        bytes[0] = 2;
        assert!(Cursor::parse(&URL_SAFE_NO_PAD.encode(bytes)).is_none());
    }
}
