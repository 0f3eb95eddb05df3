//! The search over posts, articles and entries.

use super::Visit;
use super::changelog::{SeenEntry, matching};
use super::feedback::{PostsQuery, SeenPost, posts};
use super::help::{FoundArticle, article_search};
use crate::Error;
use hearback_domain::feedback_post::PostSort;
use hearback_domain::fold::Folded;
use hearback_ports::page::PageRequest;
use hearback_ports::{Limit, Ports};

/// The findings of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// Posts, newest first.
    pub posts: Vec<SeenPost>,
    /// Articles of the help center, the last updated first.
    pub articles: Vec<FoundArticle>,
    /// Entries of the changelog, the last published first, among the last 500.
    pub entries: Vec<SeenEntry>,
}

impl Findings {
    /// Whether all three lists are empty.
    pub fn is_empty(&self) -> bool {
        self.posts.is_empty() && self.articles.is_empty() && self.entries.is_empty()
    }
}

/// Finds a text in all that the visitor sees.
pub async fn search(ports: &Ports, visit: &Visit, text: &str) -> Result<Findings, Error> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(Findings::default());
    }
    let text: String = text.chars().take(512).collect();
    let settings = &visit.frame.organization.portal;
    let few = Limit::new(FEW).unwrap_or(Limit::DEFAULT);
    let found = match settings.shows_feedback {
        true => {
            let query = PostsQuery { search: Some(Folded::new(&text)), ..PostsQuery::default() };
            let first = PageRequest { after: None, limit: few };
            posts(ports, visit, query, PostSort::Newest, first).await?.items
        }
        false => vec![],
    };
    let articles = match article_search(ports, visit, &text, few).await {
        Ok(articles) => articles,
        Err(Error::NotFound(_)) => vec![],
        Err(error) => return Err(error),
    };
    let entries = match settings.shows_changelog {
        true => matching(ports, visit, &Folded::new(&text), few.get()).await?,
        false => vec![],
    };
    Ok(Findings { posts: found, articles, entries })
}

/// The most findings of a kind.
const FEW: i64 = 20;
