DROP TABLE help_articles_search;
DROP TABLE help_article_search_keys;
