ALTER TABLE sessions DROP COLUMN factor;
DROP TABLE second_factors;
