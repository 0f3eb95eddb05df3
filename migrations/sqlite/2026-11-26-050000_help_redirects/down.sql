DROP TABLE help_redirects;
