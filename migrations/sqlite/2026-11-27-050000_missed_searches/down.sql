DROP TABLE missed_searches;
