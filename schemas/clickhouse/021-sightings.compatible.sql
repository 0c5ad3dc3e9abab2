-- Which anonymous ids messages gave beside a user id, each with the version of the first that did: services/messages/sightings.ts.
-- `anonymous` is the user who is known by that id alone.
CREATE TABLE IF NOT EXISTS sighting_rows
(
    project_id   LowCardinality(String),
    user         UInt128,
    anonymous    UInt128,
    anonymous_id SimpleAggregateFunction(max, String),
    version      SimpleAggregateFunction(min, UInt128)
)
ENGINE = AggregatingMergeTree
ORDER BY (project_id, user, anonymous);

-- The same by anonymous id: with whom it was seen.
CREATE TABLE IF NOT EXISTS sightings_by_anonymous
(
    project_id LowCardinality(String),
    anonymous  UInt128,
    user       UInt128
)
ENGINE = ReplacingMergeTree
ORDER BY (project_id, anonymous, user);

CREATE MATERIALIZED VIEW IF NOT EXISTS sightings_by_anonymous_of_sightings TO sightings_by_anonymous AS
SELECT project_id, anonymous, user
FROM sighting_rows;

-- Whose an anonymous id is: of several rows that with the highest number says it, since whoever has it has seen every sighting.
CREATE TABLE IF NOT EXISTS join_rows
(
    project_id LowCardinality(String),
    user       UInt128,                           -- who is known by the anonymous id alone
    person     UInt128,                           -- 0: nobody's
    number     UInt64
)
ENGINE = ReplacingMergeTree(number)
ORDER BY (project_id, user);

-- What an operator said of an anonymous id. The highest number is the newest.
CREATE TABLE IF NOT EXISTS join_decision_rows
(
    project_id LowCardinality(String),
    user       UInt128,                           -- who is known by the anonymous id alone
    says       LowCardinality(String),            -- join, apart, rule
    person     UInt128,                           -- 0 unless it says join
    number     UInt64
)
ENGINE = ReplacingMergeTree(number)
ORDER BY (project_id, user);
