-- A row is a company whose people are users. monthly_spend counts hundredths.
CREATE TABLE companies (
    organization_id blob NOT NULL,
    id blob NOT NULL,
    external_id text NOT NULL,
    name text NOT NULL,
    monthly_spend integer NOT NULL CHECK (monthly_spend >= 0),
    customer_status text NOT NULL,
    attributes text NOT NULL,
    is_active integer NOT NULL CHECK (is_active IN (0, 1)),
    created_at integer NOT NULL,
    updated_at integer NOT NULL,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id) REFERENCES organizations (id)
) STRICT;
CREATE UNIQUE INDEX companies_by_external_id ON companies (organization_id, external_id)
    WHERE is_active;
-- /companies/list: by age, by name, by spend, by the last change.
CREATE INDEX companies_by_age ON companies (organization_id, created_at, id) WHERE is_active;
CREATE INDEX companies_by_name ON companies (organization_id, name, id) WHERE is_active;
CREATE INDEX companies_by_spend ON companies (organization_id, monthly_spend, id) WHERE is_active;
CREATE INDEX companies_by_change ON companies (organization_id, updated_at, id);

-- The defaults are for existing rows, and for running servers of an earlier release. company_id has
-- no foreign key, since SQLite cannot add one.
ALTER TABLE users ADD COLUMN company_id blob;
ALTER TABLE users ADD COLUMN locale text NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN attributes text NOT NULL DEFAULT '{}';
ALTER TABLE users ADD COLUMN is_blocked integer NOT NULL DEFAULT 0 CHECK (is_blocked IN (0, 1));
ALTER TABLE users ADD COLUMN updated_at integer NOT NULL DEFAULT -62135596800000;
ALTER TABLE users ADD COLUMN search_text text NOT NULL DEFAULT '';
-- The application folds more letters than this when it writes the row again.
UPDATE users SET updated_at = created_at,
    search_text = lower(name) || char(10) || lower(coalesce(email, ''));
-- /users/list: by age, by name, by the last change, of a company.
CREATE INDEX users_by_age ON users (organization_id, created_at, id) WHERE is_active;
CREATE INDEX users_by_name ON users (organization_id, name, id) WHERE is_active;
CREATE INDEX users_by_change ON users (organization_id, updated_at, id);
CREATE INDEX users_by_company ON users (organization_id, company_id, created_at, id)
    WHERE is_active AND company_id IS NOT NULL;

ALTER TABLE feedback_posts ADD COLUMN attributes text NOT NULL DEFAULT '{}';
