//! Redirects from former addresses of the portal, and the addresses of its pages.

use crate::Time;
use crate::id::HelpRedirectId;
use crate::record::{Kind, Known, Parent, Record, Step};
use crate::slug::Slug;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A redirect from a path of the portal to another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HelpRedirect {
    /// The identifier.
    pub id: HelpRedirectId,
    /// The path that is redirected, unique in the organization.
    pub from_path: Path,
    /// The path that takes its place.
    pub to_path: Path,
    /// When the redirect was made.
    pub created_at: Time,
}

/// A path of an address: `/` and up to 2,047 further characters, as browsers send it. Characters
/// outside of ASCII are percent-encoded. It has no white space, no control character, no query and
/// no fragment.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Path(String);

/// The most characters of a path.
pub const MAX_PATH: usize = 2_048;

/// The text is not a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoPath {
    /// The path is empty.
    Empty,
    /// The path has more characters than [`MAX_PATH`].
    TooLong,
    /// The path does not begin with `/`, or has a character that no path has.
    Characters,
}

impl Path {
    /// Checks and encodes a path.
    pub fn parse(text: &str) -> Result<Self, NoPath> {
        if text.is_empty() {
            return Err(NoPath::Empty);
        }
        if text.chars().nth(MAX_PATH).is_some() {
            return Err(NoPath::TooLong);
        }
        let is_foreign = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '?' | '#');
        if !text.starts_with('/') || text.contains(is_foreign) {
            return Err(NoPath::Characters);
        }
        let mut path = String::with_capacity(text.len());
        for byte in text.bytes() {
            match byte.is_ascii() {
                true => path.push(char::from(byte)),
                // A string takes all that is written.
                false => drop(write!(path, "%{byte:02X}")),
            }
        }
        if path.len() > MAX_PATH { Err(NoPath::TooLong) } else { Ok(Self(path)) }
    }

    /// The path as browsers send it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The address of a page: `/p` and the slug of a feedback post, `/changelog` and the slug of an
    /// entry, or `/help` and the slugs of a collection, a category and the page of the help center
    /// itself. `known` has the records that it is in. `None` if the record is no page, or `known`
    /// lacks a record.
    pub fn of(page: &Record, known: &Known) -> Option<Self> {
        let mut path = format!("/{}", slug(page)?.as_str());
        let mut parent = page.parent();
        while let Some(Parent::Record(kind, id)) = parent {
            let above = known.get((kind, id))?;
            path = format!("/{}{path}", slug(above)?.as_str());
            parent = above.parent();
        }
        let root = match page {
            Record::FeedbackPost(_) => POSTS,
            Record::ChangelogEntry(_) => CHANGELOG,
            _ => HELP,
        };
        Some(Self(format!("{root}{path}")))
    }

    /// The address of a feedback post with a slug.
    pub fn of_post(slug: &Slug) -> Self {
        Self(format!("{POSTS}/{}", slug.as_str()))
    }

    /// The address of a changelog entry with a slug.
    pub fn of_entry(slug: &Slug) -> Self {
        Self(format!("{CHANGELOG}/{}", slug.as_str()))
    }

    /// The slug of the feedback post or changelog entry at a path.
    pub fn slug_at_root(&self) -> Option<Slug> {
        let slug = [POSTS, CHANGELOG].iter().find_map(|root| self.0.strip_prefix(root));
        Slug::parse(slug?.strip_prefix('/')?).ok()
    }

    /// The path that stands for all addresses of an article with a slug: `/help/*/` and the slug.
    pub fn of_slug(slug: &Slug) -> Self {
        Self(format!("{ANYWHERE}{}", slug.key()))
    }

    /// Whether the path begins as those of the pages of the help center do.
    pub fn is_in_help_center(&self) -> bool {
        self.0.strip_prefix(HELP).is_some_and(|rest| rest.starts_with('/'))
    }

    /// The slug of the article at a path of the help center. `None` if no article is at such a path.
    pub fn slug_of_article(&self) -> Option<Slug> {
        let last = || self.slugs().into_iter().skip(1).last();
        Slug::parse(self.0.strip_prefix(ANYWHERE).or_else(last)?).ok()
    }

    /// The slugs of a path that may be that of a page of the help center: one to three.
    pub fn slugs(&self) -> Vec<&str> {
        let slugs = self.0.strip_prefix(HELP).and_then(|rest| rest.strip_prefix('/'));
        let slugs = Vec::from_iter(slugs.into_iter().flat_map(|slugs| slugs.split('/')));
        let are_slugs = slugs.len() <= 3 && slugs.iter().all(|it| Slug::parse(it).is_ok());
        if are_slugs { slugs } else { vec![] }
    }

    /// The path, and the paths of the pages that it may be in, the longest first.
    pub fn with_parents(&self) -> Vec<Self> {
        let slugs = self.slugs();
        let parent = |count| Self(format!("{HELP}/{}", slugs[..count].join("/")));
        let parents = (1..slugs.len()).rev().map(parent);
        [self.clone()].into_iter().chain(parents).collect()
    }

    /// The path with another beginning. `None` if it is too long.
    pub fn moved(&self, from: &Self, to: &Self) -> Option<Self> {
        let rest = self.0.strip_prefix(&from.0)?;
        Self::parse(&format!("{}{rest}", to.0)).ok()
    }
}

const HELP: &str = "/help";
const POSTS: &str = "/p";
const CHANGELOG: &str = "/changelog";

/// No slug is `*`.
const ANYWHERE: &str = "/help/*/";

impl From<Path> for String {
    fn from(path: Path) -> Self {
        path.0
    }
}

/// The slug of a page.
fn slug(page: &Record) -> Option<&Slug> {
    match page {
        Record::FeedbackPost(post) => Some(&post.slug),
        Record::ChangelogEntry(entry) => Some(&entry.slug),
        Record::HelpCollection(collection) => Some(&collection.slug),
        Record::HelpCategory(category) => Some(&category.slug),
        Record::HelpArticle(article) => Some(&article.slug),
        _ => None,
    }
}

/// The move of a page to another address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// The former address.
    pub from: Path,
    /// The new address.
    pub to: Path,
}

impl Move {
    /// Whether a step may move an active page.
    pub fn is_by(step: &Step) -> bool {
        let (Some(before), Some(after)) = (step.before(), step.after()) else { return false };
        let is_moved = (slug(before), before.parent()) != (slug(after), after.parent());
        slug(before).is_some() && is_moved && before.is_active() && after.is_active()
    }

    /// The moves by a step. `before` has the records that the page was in, and `after` those that it
    /// is in. An article with another slug also moves all its addresses.
    pub fn by(step: &Step, before: &Known, after: &Known) -> Vec<Self> {
        let (Some(page), Some(moved)) = (step.before(), step.after()) else { return vec![] };
        let addresses = Path::of(page, before).zip(Path::of(moved, after));
        let slugs = match (page, moved) {
            (Record::HelpArticle(page), Record::HelpArticle(moved)) => {
                Some((Path::of_slug(&page.slug), Path::of_slug(&moved.slug)))
            }
            _ => None,
        };
        let ends = addresses.into_iter().chain(slugs).filter(|(from, to)| from != to);
        ends.map(|(from, to)| Self { from, to }).collect()
    }
}

/// The redirects of an organization that moves and new redirects concern.
#[derive(Debug)]
pub struct Redirects {
    before: BTreeMap<HelpRedirectId, HelpRedirect>,
    after: BTreeMap<HelpRedirectId, HelpRedirect>,
}

impl Redirects {
    /// The stored redirects that begin at an end of a move, and those that lead to its beginning.
    pub fn new(stored: impl IntoIterator<Item = HelpRedirect>) -> Self {
        let before: BTreeMap<_, _> = stored.into_iter().map(|it| (it.id, it)).collect();
        Self { after: before.clone(), before }
    }

    /// Leads the former address of a page to its new one, and all that led there. Nothing leads
    /// away from the new address: the page is there.
    pub fn follow(&mut self, Move { from, to }: &Move, id: HelpRedirectId, now: Time) {
        self.after.retain(|_, it| it.from_path != *to);
        self.lead(from, to);
        match self.after.values_mut().find(|it| it.from_path == *from) {
            Some(known) => known.to_path = to.clone(),
            None => {
                let (from_path, to_path) = (from.clone(), to.clone());
                self.after.insert(id, HelpRedirect { id, from_path, to_path, created_at: now });
            }
        }
    }

    /// Leads all that led to a path to another one.
    pub fn lead(&mut self, from: &Path, to: &Path) {
        let leading = self.after.values_mut().filter(|it| it.to_path == *from);
        leading.for_each(|it| it.to_path = to.clone());
    }

    /// The steps to the redirects as they are now. Paths are given up before others take them.
    pub fn steps(self, now: Time) -> Vec<Step> {
        let Self { before, mut after } = self;
        let (mut removed, mut changed) = (vec![], vec![]);
        for (id, former) in before {
            match after.remove(&id) {
                None => removed.push(Step::remove(former)),
                Some(it) => changed.push(Step::edit(former, it, now)),
            }
        }
        let steps = removed.into_iter().chain(changed).chain(after.into_values().map(Step::make));
        steps.filter(|step| !step.is_empty()).collect()
    }
}

/// The paths of the redirects that steps make or edit.
#[derive(Debug)]
pub struct Written<'a> {
    /// The paths that new redirects begin at. No redirect may lead to one of them.
    pub beginnings: Vec<&'a Path>,
    /// The paths that redirects lead to from now on. No redirect may begin at one of them.
    pub ends: Vec<&'a Path>,
}

impl<'a> Written<'a> {
    /// The paths by steps. `None` if the steps make and edit no redirect.
    pub fn by(steps: &'a [Step]) -> Option<Self> {
        let (mut beginnings, mut ends) = (vec![], vec![]);
        for step in steps {
            let Some(Record::HelpRedirect(redirect)) = step.after() else { continue };
            if step.before().is_none() {
                beginnings.push(&redirect.from_path);
            }
            ends.push(&redirect.to_path);
        }
        (!ends.is_empty()).then_some(Self { beginnings, ends })
    }
}

/// The kinds of pages that may have an address of this many slugs.
pub fn kinds_of_pages(slugs: usize) -> &'static [Kind] {
    match slugs {
        1 => &[Kind::HelpCollection],
        2 => &[Kind::HelpCategory, Kind::HelpArticle],
        3 => &[Kind::HelpArticle],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Time;
    use crate::Uuid;
    use crate::help_article::{ArticleParent, HelpArticle};
    use crate::help_category::HelpCategory;
    use crate::help_collection::HelpCollection;
    use crate::record::OfKind;
    use crate::record::examples::{self, referred};
    use crate::roadmap_post::RoadmapPost;
    use proptest::prelude::*;

    fn path(text: &str) -> Path {
        Path::parse(text).unwrap()
    }

    #[test]
    fn a_path_is_as_browsers_send_it() {
        assert_eq!(path("/Über/a%20b").as_str(), "/%C3%9Cber/a%20b");
        assert_eq!(path("/").as_str(), "/");
        assert_eq!(Path::parse(""), Err(NoPath::Empty));
        for text in ["help", "/a b", "/a\u{a0}b", "/a\nb", "/a?b", "/a#b", "/a\u{7f}"] {
            assert_eq!(Path::parse(text), Err(NoPath::Characters), "{text:?}");
        }
        let long = "/".repeat(MAX_PATH);
        assert!(Path::parse(&long).is_ok());
        assert_eq!(Path::parse(&(long + "a")), Err(NoPath::TooLong));
    }

    #[test]
    fn the_written_paths_are_those_of_redirects_that_are_made_or_edited() {
        let redirect = |id, from: &str, to: &str| HelpRedirect {
            id: Uuid::from_u128(id).into(),
            from_path: path(from),
            to_path: path(to),
            created_at: Time::MIN,
        };
        let [old, new] = ["/b", "/c"].map(|to| redirect(1, "/a", to));
        let steps = [
            Step::make(examples::article()),
            Step::edit(old.clone(), new, Time::MIN),
            Step::make(redirect(2, "/d", "/e")),
            Step::remove(redirect(3, "/f", "/g")),
        ];
        let written = Written::by(&steps).unwrap();
        assert_eq!(written.beginnings, [&path("/d")]);
        assert_eq!(written.ends, [&path("/c"), &path("/e")]);
        assert!(Written::by(&steps[..1]).is_none());
        assert!(Written::by(&[Step::remove(old)]).is_none());
    }

    #[test]
    fn an_article_is_at_paths_with_its_slug() {
        let slug = |text| path(text).slug_of_article().map(|slug| slug.as_str().to_owned());
        for text in ["/help/*/first", "/help/a/first", "/help/a/b/first"] {
            assert_eq!(slug(text).as_deref(), Some("first"), "{text}");
        }
        for other in ["/help/first", "/help/*", "/help/*/", "/help/*/a/first", "/docs/a/first"] {
            assert_eq!(slug(other), None, "{other}");
        }
        assert_eq!(Path::of_slug(&Slug::parse("First").unwrap()), path("/help/*/first"));
    }

    #[test]
    fn an_address_of_the_help_center_has_one_to_three_slugs() {
        assert_eq!(path("/help/a/b/c").slugs(), ["a", "b", "c"]);
        let none: [&str; 0] = [];
        for other in ["/help", "/help/", "/help/a/", "/help/a/b/c/d", "/helpful/a", "/a/b"] {
            assert_eq!(path(other).slugs(), none, "{other}");
        }
        let parents = path("/help/a/b/c").with_parents();
        assert_eq!(parents, ["/help/a/b/c", "/help/a/b", "/help/a"].map(path));
        assert_eq!(path("/docs/a").with_parents(), [path("/docs/a")]);
        let moved = path("/help/a/b").moved(&path("/help/a"), &path("/x"));
        assert_eq!(moved, Some(path("/x/b")));
    }

    /// The redirects that a store has after each move, by where they begin.
    fn redirected(moves: &[(String, String)]) -> BTreeMap<Path, Path> {
        let mut stored: BTreeMap<HelpRedirectId, HelpRedirect> = BTreeMap::new();
        for (n, (from, to)) in moves.iter().enumerate() {
            let found = stored.values().filter(|it| {
                [from, to].map(|it| path(it)).contains(&it.from_path) || it.to_path == path(from)
            });
            let mut redirects = Redirects::new(found.cloned());
            let id = Uuid::from_u128(n as u128).into();
            redirects.follow(&Move { from: path(from), to: path(to) }, id, Time::MIN);
            for step in redirects.steps(Time::MIN) {
                let of = |record: &Record| match record {
                    Record::HelpRedirect(it) => it.clone(),
                    other => panic!("{other:?}"),
                };
                if let Some(before) = step.before().map(of) {
                    assert_eq!(stored.remove(&before.id), Some(before));
                }
                if let Some(after) = step.after().map(of) {
                    assert!(stored.values().all(|it| it.from_path != after.from_path));
                    stored.insert(after.id, after);
                }
            }
        }
        stored.into_values().map(|it| (it.from_path, it.to_path)).collect()
    }

    proptest! {
        #[test]
        fn a_page_is_found_at_every_address_that_it_had_without_a_chain(
            names in proptest::collection::vec("[a-d]", 2..12),
        ) {
            let at = |name: &String| format!("/help/{name}");
            let moves: Vec<_> = names.windows(2)
                .filter(|pair| pair[0] != pair[1])
                .map(|pair| (at(&pair[0]), at(&pair[1])))
                .collect();
            let all = redirected(&moves);
            for (from, to) in &all {
                prop_assert!(!all.contains_key(to), "{from:?} {to:?} {moves:?}");
            }
            let present = path(&at(names.last().unwrap()));
            for name in &names {
                let address = path(&at(name));
                let found = all.get(&address).unwrap_or(&address);
                prop_assert_eq!(found, &present);
            }
        }
    }

    #[test]
    fn a_page_has_the_address_of_its_kind_below_the_pages_that_it_is_in() {
        let collection = HelpCollection {
            id: referred(Kind::HelpCollection),
            slug: Slug::parse("guides").unwrap(),
            ..examples::help_collection()
        }
        .into_record();
        let slug = Slug::parse("basics").unwrap();
        let category =
            HelpCategory { id: referred(Kind::HelpCategory), slug, ..examples::category() };
        let category = category.into_record();
        let known = Known::new([collection.clone(), category.clone()]);
        for (page, address) in [
            (examples::post().into_record(), Some("/p/dark-mode")),
            (examples::entry().into_record(), Some("/changelog/dark-mode")),
            (collection, Some("/help/guides")),
            (category, Some("/help/guides/basics")),
            (examples::article().into_record(), Some("/help/guides/basics/dark-mode")),
            (examples::comment().into_record(), None),
        ] {
            let found = Path::of(&page, &known);
            assert_eq!(found.as_ref().map(Path::as_str), address);
            let is_help = address.is_some_and(|address| address.starts_with("/help"));
            if is_help {
                let slugs = found.iter().map(|path| path.slugs().len()).sum();
                assert!(kinds_of_pages(slugs).contains(&page.kind()), "{address:?}");
            }
            assert_eq!(found.is_some_and(|path| path.is_in_help_center()), is_help);
        }
        assert_eq!(Path::of(&examples::article().into_record(), &Known::default()), None);
        let slug = Slug::parse("dark-mode").unwrap();
        for page in [Path::of_post(&slug), Path::of_entry(&slug)] {
            assert_eq!(page.slug_at_root().as_ref(), Some(&slug));
        }
        assert_eq!(path("/help/dark-mode").slug_at_root(), None);
        assert!(!path("/helpful/a").is_in_help_center() && !path("/help").is_in_help_center());
    }

    #[test]
    fn an_active_page_moves_with_its_slug_and_with_its_parent() {
        let article = examples::article();
        let of = |before: &HelpArticle, after: HelpArticle| {
            Move::is_by(&Step::edit(before.clone(), after, Time::MAX))
        };
        let slug = Slug::parse("night").unwrap();
        let renamed = HelpArticle { slug, ..article.clone() };
        let parent = ArticleParent::Collection(referred(Kind::HelpCollection));
        assert!(of(&article, renamed.clone()));
        assert!(of(&article, HelpArticle { parent, ..article.clone() }));
        assert!(!of(&article, HelpArticle { title: String::new(), ..article.clone() }));
        let deleted = |article| HelpArticle { is_active: false, ..article };
        assert!(!of(&deleted(article.clone()), deleted(renamed.clone())));
        assert!(!of(&article, deleted(renamed)));
        let plan = examples::roadmap_post();
        let moved = RoadmapPost { roadmap_board_id: referred(Kind::Tag), ..plan.clone() };
        assert!(!Move::is_by(&Step::edit(plan, moved, Time::MAX)));
    }

    #[test]
    fn an_article_with_another_slug_moves_all_of_its_addresses() {
        let article = examples::article();
        let slug = Slug::parse("night").unwrap();
        let renamed = HelpArticle { slug, ..article.clone() };
        let none = Known::default();
        let of = |after: HelpArticle| {
            Move::by(&Step::edit(article.clone(), after, Time::MAX), &none, &none)
        };
        let expected = Move { from: path("/help/*/dark-mode"), to: path("/help/*/night") };
        assert_eq!(of(renamed), [expected]);
        assert_eq!(of(HelpArticle { title: String::new(), ..article.clone() }), []);
    }
}
