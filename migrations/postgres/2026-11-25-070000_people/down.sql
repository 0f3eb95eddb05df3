ALTER TABLE feedback_posts DROP COLUMN attributes;
DROP INDEX users_by_company;
DROP INDEX users_by_change;
DROP INDEX users_by_name;
DROP INDEX users_by_age;
ALTER TABLE users
    DROP COLUMN search_text,
    DROP COLUMN updated_at,
    DROP COLUMN is_blocked,
    DROP COLUMN attributes,
    DROP COLUMN locale,
    DROP COLUMN company_id;
DROP TABLE companies;
