-- The number of searches of the help center that have found nothing, by their words and the day.
-- day is the first moment of the day in UTC. A row does not say who has searched.
CREATE TABLE missed_searches (
    organization_id blob NOT NULL,
    words text NOT NULL,
    day integer NOT NULL,
    number integer NOT NULL,
    PRIMARY KEY (organization_id, words, day),
    FOREIGN KEY (organization_id) REFERENCES organizations (id)
) STRICT, WITHOUT ROWID;
-- The numbers of some days, and the removal of old ones.
CREATE INDEX missed_searches_by_day ON missed_searches (organization_id, day, words, number);
