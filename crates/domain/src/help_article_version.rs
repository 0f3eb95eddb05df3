//! Versions of help articles.

use crate::Time;
use crate::help_article::HelpArticle;
use crate::id::{HelpArticleId, HelpArticleVersionId, UserId};
use crate::millis::DAY;
use crate::record::{Record, Step};

/// A saved state of an article. The newest version is the article itself: the others are records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HelpArticleVersion {
    /// The identifier.
    pub id: HelpArticleVersionId,
    /// The article.
    pub help_article_id: HelpArticleId,
    /// The number of the version among those of the article, from 1.
    pub version: i64,
    /// The author of the article at the time.
    pub author_id: Option<UserId>,
    /// When the version was saved.
    pub created_at: Time,
    /// The title.
    pub title: String,
    /// The body as HTML, as sent, or empty.
    pub content: String,
}

/// The newest versions of an article that are all kept. Of the older ones, the last of each UTC day
/// is kept.
const KEPT: i64 = 100;

impl HelpArticleVersion {
    /// The state of an article.
    pub fn of(id: HelpArticleVersionId, article: &HelpArticle) -> Self {
        Self {
            id,
            help_article_id: article.id,
            version: article.version,
            author_id: article.author_id,
            created_at: article.versioned_at,
            title: article.title.clone(),
            content: article.content.clone(),
        }
    }

    /// The state of an article before a step that changes its title or content. The article after
    /// the step gets the number and the time of the next version.
    pub fn superseded(
        step: &mut Step,
        fresh: impl FnOnce() -> HelpArticleVersionId,
    ) -> Option<Self> {
        let Step::Edit { before, after } = step else { return None };
        let (Record::HelpArticle(before), Record::HelpArticle(after)) = (before, after) else {
            return None;
        };
        let is_saved = (&before.title, &before.content) != (&after.title, &after.content);
        // The erasure of a deleted article saves nothing.
        (is_saved && after.is_active).then(|| {
            after.version = before.version.saturating_add(1);
            after.versioned_at = after.updated_at;
            Self::of(fresh(), before)
        })
    }

    /// The number of the version that is no longer among the newest ones once this version is
    /// superseded.
    pub fn oldest_left(&self) -> Option<i64> {
        Some(self.version + 1 - KEPT).filter(|number| *number >= 1)
    }

    /// Whether this version is the last one of its UTC day, if `later` is the next one that is left.
    pub fn is_last_of_day(&self, later: &Self) -> bool {
        let day = |version: &Self| version.created_at.unix_millis().div_euclid(DAY);
        day(self) != day(later)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Uuid;
    use crate::draft::Draft;
    use crate::help_article::{ArticleDraft, ArticleParent, ArticleStatus};
    use crate::record::OfKind;
    use crate::text::Title;

    fn article() -> HelpArticle {
        let draft = ArticleDraft {
            parent: ArticleParent::Category(Uuid::from_u128(1).into()),
            title: Title::parse("Signing in").unwrap(),
            content: "<p>Wait.</p>".to_owned(),
            slug: None,
            excerpt: None,
            status: ArticleStatus::Draft,
            show_on_portal: true,
            is_favourite: false,
            published_at: None,
            related_article_ids: vec![],
            author_id: None,
            external_id: None,
        };
        let slug = draft.name();
        draft.create(Uuid::nil(), slug, Time::MIN)
    }

    /// The version that an edit supersedes, and the article that it makes.
    fn superseded(after: HelpArticle) -> (Option<HelpArticleVersion>, HelpArticle) {
        let mut step = Step::edit(article(), after, Time::MAX);
        let version = HelpArticleVersion::superseded(&mut step, || Uuid::max().into());
        (version, HelpArticle::of_record(step.after().unwrap()).unwrap().clone())
    }

    #[test]
    fn another_title_or_content_is_another_version() {
        let titled = HelpArticle { title: "Signing out".to_owned(), ..article() };
        let emptied = HelpArticle { content: String::new(), ..article() };
        for edited in [titled, emptied] {
            let (version, after) = superseded(edited);
            assert_eq!(version, Some(HelpArticleVersion::of(Uuid::max().into(), &article())));
            assert_eq!((after.version, after.versioned_at), (2, Time::MAX));
        }
    }

    #[test]
    fn other_edits_and_the_erasure_are_no_version() {
        let starred = HelpArticle { is_favourite: true, ..article() };
        let erased = HelpArticle { title: String::new(), is_active: false, ..article() };
        for edited in [starred, erased] {
            let (version, after) = superseded(edited);
            assert_eq!((version, after.version, after.versioned_at), (None, 1, Time::MIN));
        }
    }

    #[test]
    fn a_hundred_versions_are_kept_and_one_a_day_of_the_others() {
        let version = |number, at: &str| HelpArticleVersion {
            version: number,
            created_at: Time::parse(at).unwrap(),
            ..HelpArticleVersion::of(Uuid::nil().into(), &article())
        };
        // The article itself is the newest of the hundred.
        assert_eq!(version(99, "2026-01-02").oldest_left(), None);
        assert_eq!(version(100, "2026-01-02").oldest_left(), Some(1));
        let [evening, night] = ["2026-01-02T23:59:59Z", "2026-01-03T00:00:00Z"];
        assert!(version(1, evening).is_last_of_day(&version(2, night)));
        assert!(!version(1, "2026-01-02").is_last_of_day(&version(2, evening)));
    }
}
