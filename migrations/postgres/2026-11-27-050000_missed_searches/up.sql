-- The number of searches of the help center that have found nothing, by their words and the day.
-- day is the first moment of the day in UTC. A row does not say who has searched.
CREATE TABLE missed_searches (
    organization_id uuid NOT NULL,
    words text COLLATE "C" NOT NULL,
    day timestamptz NOT NULL,
    number bigint NOT NULL,
    PRIMARY KEY (organization_id, words, day)
);
ALTER TABLE missed_searches ADD FOREIGN KEY (organization_id) REFERENCES organizations (id);
-- The numbers of some days, and the removal of old ones.
CREATE INDEX missed_searches_by_day ON missed_searches (organization_id, day, words, number);
