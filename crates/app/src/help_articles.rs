//! `/help-articles/…`

use crate::once::{Outcome, Repeat, once};
use crate::{Error, Missing, slugs};
use hearback_domain::help_article::{
    ArticleDetails, ArticleDraft, ArticleFilter, ArticleSort, ArticleSummary,
};
use hearback_domain::id::{HelpArticleId, OrganizationId};
use hearback_ports::page::{ByArticle, Page, PageRequest};
use hearback_ports::slugs::Slugged;
use hearback_ports::{Answer, Ports};

/// `/help-articles/list` and `/help-articles/search`: the active ones that the filter lets through.
pub async fn list(
    ports: &Ports,
    organization: OrganizationId,
    filter: ArticleFilter,
    sort: ArticleSort,
    page: PageRequest<ByArticle>,
) -> Result<Page<ArticleSummary, ByArticle>, Error> {
    Ok(ports.help_articles.page(organization, filter, sort, page).await?)
}

/// `/help-articles/retrieve`: an active one. That it was read is not counted.
pub async fn retrieve(
    ports: &Ports,
    organization: OrganizationId,
    id: HelpArticleId,
) -> Result<ArticleDetails, Error> {
    ports.help_articles.find(organization, id).await?.ok_or(Error::NotFound(Missing::HelpArticle))
}

/// `/help-articles/create`: makes an article at the end of its parent.
pub async fn create(
    ports: &Ports,
    organization: OrganizationId,
    draft: ArticleDraft,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    let (draft, base, repeat) = (&draft, &draft.slug(), repeat.as_ref());
    once(ports, organization, (Slugged::HelpArticle, base.key()), repeat, |attempt| async move {
        let related = draft.related_article_ids.clone();
        let case = ports.help_articles.article_case(organization, draft.parent, related).await?;
        let slug =
            slugs::candidate(ports, organization, Slugged::HelpArticle, base, attempt).await?;
        let (id, at) = (ports.ids.fresh(), ports.clock.now());
        let article = case.create(draft.clone(), id.into(), slug, at)?;
        let answer = Answer::Created(id);
        let receipt = repeat.map(|repeat| repeat.receipt(answer, at));
        Ok((ports.help_articles.insert(organization, article, receipt).await?, answer))
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Precondition;
    use hearback_domain::help_article::{ArticleCase, ArticleParent, ArticleStatus};
    use hearback_domain::position::Position;
    use hearback_domain::text::Title;
    use hearback_domain::{Time, Uuid};
    use hearback_ports::mock::Mocks;
    use hearback_ports::{Recorded, Unique};
    use std::collections::HashSet;
    use std::time::Duration;

    const ORGANIZATION: OrganizationId = OrganizationId(Uuid::from_u128(1));

    fn draft() -> ArticleDraft {
        ArticleDraft {
            parent: ArticleParent::Category(Uuid::from_u128(2).into()),
            title: Title::parse("Getting started").unwrap(),
            content: String::new(),
            slug: None,
            excerpt: None,
            status: ArticleStatus::Draft,
            show_on_portal: true,
            is_favourite: false,
            published_at: None,
            related_article_ids: vec![Uuid::from_u128(3).into()],
        }
    }

    fn mocks(case: ArticleCase) -> Mocks {
        let mut mocks = Mocks::default();
        mocks.clock.expect_elapsed().return_const(Duration::ZERO);
        mocks.clock.expect_now().return_const(Time::MAX);
        mocks.clock.expect_sleep().returning(|_| ());
        mocks.ids.expect_fresh().return_const(Uuid::from_u128(9));
        mocks
            .help_articles
            .expect_article_case()
            .withf(|of, parent, related| {
                (*of, *parent, related)
                    == (ORGANIZATION, draft().parent, &draft().related_article_ids)
            })
            .returning(move |_, _, _| Ok(case.clone()));
        mocks
    }

    fn case() -> ArticleCase {
        ArticleCase {
            parent_found: true,
            related_found: HashSet::from_iter(draft().related_article_ids),
        }
    }

    #[tokio::test]
    async fn an_article_is_made_with_a_number_behind_a_taken_slug() {
        let mut mocks = mocks(case());
        mocks.slugs.expect_taken().returning(|_, _, candidates| {
            Ok(candidates.into_iter().filter(|slug| slug.as_str() == "getting-started").collect())
        });
        mocks.help_articles.expect_insert().times(2).returning(|_, article, _| {
            let article = article.at(Position::START);
            Ok(if article.slug.as_str() == "getting-started-2" {
                Recorded::Done
            } else {
                Recorded::Taken(Unique::Slug)
            })
        });
        let outcome = create(&mocks.ports(), ORGANIZATION, draft(), None).await.unwrap();
        assert_eq!(outcome, Outcome::Fresh(Answer::Created(Uuid::from_u128(9))));
    }

    #[tokio::test]
    async fn a_refused_article_records_nothing() {
        let refused = async |case| create(&mocks(case).ports(), ORGANIZATION, draft(), None).await;
        let parent = refused(ArticleCase { parent_found: false, ..case() }).await;
        assert!(matches!(parent, Err(Error::NotFound(Missing::HelpCategory))));
        let related = refused(ArticleCase { related_found: HashSet::new(), ..case() }).await;
        let unknown = Uuid::from_u128(3).into();
        assert!(
            matches!(related, Err(Error::Refused(Precondition::UnknownRelatedArticle(id))) if id == unknown)
        );
    }
}
