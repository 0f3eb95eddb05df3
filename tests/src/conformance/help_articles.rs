//! The articles before and behind an article.

#![expect(missing_docs, reason = "the name of a case states its rule")]

use super::Stage;
use crate::build::Tenant;
use hearback_domain::Time;
use hearback_domain::help_article::{ArticleLink, ArticleParent, ArticleStatus, HelpArticle};
use hearback_domain::help_category::HelpCategory;
use hearback_domain::id::HelpArticleId;
use hearback_domain::position::Position;

pub async fn the_articles_beside_an_article_are_those_that_the_portal_shows_in_its_parent(
    stage: Stage,
) {
    let mut acme = Tenant::new();
    let collection = ArticleParent::Collection(acme.collection.id);
    let category = HelpCategory { collection_id: acme.collection.id, ..acme.help_category() };
    let category = ArticleParent::Category(acme.add(category).id);
    let mut position = Position::START.next();
    let mut add = |parent: ArticleParent, change: fn(HelpArticle) -> HelpArticle| {
        let shown = HelpArticle {
            parent,
            status: ArticleStatus::Published,
            published_at: Some(Time::MIN),
            seq_number: position,
            ..acme.article()
        };
        let article = acme.add(change(shown));
        position = position.next();
        (article.id, article.seq_number, ArticleLink { title: article.title, slug: article.slug })
    };
    let first = add(collection, |it| it);
    add(collection, |it| HelpArticle { status: ArticleStatus::Draft, published_at: None, ..it });
    let in_category = add(category, |it| it);
    add(collection, |it| HelpArticle { show_on_portal: false, ..it });
    add(collection, |it| HelpArticle { is_active: false, ..it });
    let second = add(collection, |it| it);
    let third = add(collection, |it| it);
    let mut other = Tenant::new();
    other.add(HelpArticle {
        status: ArticleStatus::Published,
        published_at: Some(Time::MIN),
        ..other.article()
    });
    let (acme, _) = (acme.import(&stage.ports).await, other.import(&stage.ports).await);

    let around = async |parent: ArticleParent, (id, position): (HelpArticleId, Position)| {
        stage.ports.help_articles.around(acme.id(), parent, position, id).await.unwrap()
    };
    let link = |it: &(_, _, ArticleLink)| Some(it.2.clone());
    let place = |it: &(HelpArticleId, Position, ArticleLink)| (it.0, it.1);
    for (of, before, behind) in [
        (&first, None, link(&second)),
        (&second, link(&first), link(&third)),
        (&third, link(&second), None),
    ] {
        assert_eq!(around(collection, place(of)).await, [before, behind]);
    }
    // Identifiers order the articles of one position.
    let [before, behind] = around(collection, (third.0, second.1)).await;
    assert_eq!((before, behind), (link(&second), link(&third)));
    assert_eq!(around(category, place(&in_category)).await, [None, None]);
}
