//! `/help-articles/…`

use crate::once::{Outcome, Repeat, once};
use crate::write::{self, Changing};
use crate::{Caller, Error, Missing, Precondition, audit};
use hearback_domain::counted::Count;
use hearback_domain::help_article::{
    ArticleDetails, ArticleFilter, ArticleParent, ArticleSort, ArticleSummary, HelpArticle,
};
use hearback_domain::help_article_version::HelpArticleVersion;
use hearback_domain::id::HelpArticleId;
use hearback_domain::record::Kind;
use hearback_ports::Ports;
use hearback_ports::WriteResult;
use hearback_ports::page::{ByArticle, ByVersion, Page, PageRequest};
use serde_json::json;

/// `/help-articles/list` and `/help-articles/search`: the active articles that the filter admits.
pub async fn list(
    ports: &Ports,
    caller: Caller,
    filter: ArticleFilter,
    sort: ArticleSort,
    page: PageRequest<ByArticle>,
) -> Result<Page<ArticleSummary, ByArticle>, Error> {
    let organization = caller.view(Kind::HelpArticle)?;
    Ok(ports.help_articles.page(organization, filter, sort, page).await?)
}

/// `/help-articles/retrieve`: an active article. The call does not count as a view.
pub async fn retrieve(
    ports: &Ports,
    caller: Caller,
    id: HelpArticleId,
) -> Result<ArticleDetails, Error> {
    let organization = caller.view(Kind::HelpArticle)?;
    ports
        .help_articles
        .find(organization, id)
        .await?
        .ok_or(Error::NotFound(Missing::Record(Kind::HelpArticle)))
}

/// `/help-articles/publish`
pub async fn publish(
    ports: &Ports,
    caller: Caller,
    id: HelpArticleId,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    write::edit_at(ports, caller, id, repeat, |article: HelpArticle, at| Ok(article.published(at)))
        .await
}

/// `/help-articles/unpublish`: makes a draft of an article.
pub async fn unpublish(
    ports: &Ports,
    caller: Caller,
    id: HelpArticleId,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    write::edit(ports, caller, id, repeat, |article: HelpArticle| Ok(article.unpublished())).await
}

/// The input of [`feedback`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArticleFeedback {
    /// The article.
    pub id: HelpArticleId,
    /// Whether the reader found the article helpful.
    pub is_helpful: bool,
    /// The words of the reader.
    pub comment: Option<String>,
}

/// `/help-articles/feedback`: counts the answer of a reader. The audit log has it with the comment.
/// The article itself does not change: an edit neither fails nor begins again because of an answer.
pub async fn feedback(
    ports: &Ports,
    caller: Caller,
    ArticleFeedback { id, is_helpful, comment }: ArticleFeedback,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    let organization = caller.manage(Kind::HelpArticle)?;
    let key = (Kind::HelpArticle, id.0);
    let data = json!({ "is_helpful": is_helpful, "comment": comment }).to_string();
    let (repeat, data) = (repeat.as_ref(), &data);
    once(ports, organization, key, repeat, |_| async move {
        write::find::<HelpArticle>(ports, caller, id).await?;
        let at = ports.clock.now();
        let count = if is_helpful { Count::Helpful } else { Count::NotHelpful };
        let entry = audit::entry(ports, caller, &audit::Remark::default(), at, key, data.clone());
        let mut round = Changing::new(ports, caller, repeat, at);
        round.counts.insert((id.0, count), 1);
        round.audit.push(entry);
        round.record(vec![], WriteResult::Success, |_| None).await
    })
    .await
}

/// `/help-articles/versions`: the versions of an article, newest first. The first one is the article
/// itself, and has its identifier.
pub async fn versions(
    ports: &Ports,
    caller: Caller,
    id: HelpArticleId,
    page: PageRequest<ByVersion>,
) -> Result<Page<HelpArticleVersion, ByVersion>, Error> {
    let organization = caller.view(Kind::HelpArticleVersion)?;
    let article: HelpArticle = write::find(ports, caller, id).await?;
    let newest = HelpArticleVersion::of(id.0.into(), &article);
    let below = page.after.map_or(newest.version, |ByVersion(number)| number.min(newest.version));
    let newest = page.after.is_none().then_some(newest);
    let limit = page.limit.and_one();
    let older = ports.help_articles.versions(organization, id, below, limit).await?;
    let all = newest.into_iter().chain(older).collect();
    Ok(Page::cut(all, page.limit, |last: &HelpArticleVersion| ByVersion(last.version)))
}

/// `/help-articles/restore-version`: makes a new version with the title and the content of an older
/// one.
pub async fn restore_version(
    ports: &Ports,
    caller: Caller,
    (id, version): (HelpArticleId, i64),
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    let organization = caller.manage(Kind::HelpArticleVersion)?;
    write::edit_with(ports, caller, id, repeat, |article: HelpArticle| async move {
        if version == article.version {
            return Ok(article.into());
        }
        let below = version.saturating_add(1).min(article.version);
        let found = ports.help_articles.versions(organization, id, below, 1).await?;
        let found = found.into_iter().find(|found| found.version == version);
        let missing = Error::NotFound(Missing::Record(Kind::HelpArticleVersion));
        let HelpArticleVersion { title, content, .. } = found.ok_or(missing)?;
        Ok(HelpArticle { title, content, ..article }.into())
    })
    .await
}

/// `/help-articles/restore`: for a time after the deletion, if the category or collection of the
/// article is active.
pub async fn restore(
    ports: &Ports,
    caller: Caller,
    id: HelpArticleId,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    let refusal = Precondition::ArticleNotRestored;
    write::restore(ports, caller, id, repeat, refusal, |article: HelpArticle, now| {
        let place = match article.parent {
            ArticleParent::Collection(id) => write::need("collection_id", Kind::HelpCollection, id),
            ArticleParent::Category(id) => write::need("category_id", Kind::HelpCategory, id),
        };
        Ok((article.restored(ports.erase_after, now)?, place))
    })
    .await
}
