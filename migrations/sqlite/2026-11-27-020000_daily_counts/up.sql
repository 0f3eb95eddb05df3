-- The number of records of a day. counted has the kind of the records, parent_id their board or
-- status, and day the number of days since 1970-01-01 in UTC.
CREATE TABLE daily_counts (
    organization_id blob NOT NULL,
    counted text NOT NULL CHECK (counted IN ('posts', 'votes', 'comments', 'statuses')),
    parent_id blob NOT NULL,
    day integer NOT NULL,
    number integer NOT NULL,
    PRIMARY KEY (organization_id, counted, parent_id, day),
    FOREIGN KEY (organization_id) REFERENCES organizations (id)
) STRICT, WITHOUT ROWID;
-- The numbers of some days.
CREATE INDEX daily_counts_by_day
    ON daily_counts (organization_id, day, counted, parent_id, number);
