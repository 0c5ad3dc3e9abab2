-- What live audiences ask of a few hundred users at once: their events, their traits, and which audiences they are in, each in
-- the order of users and in granules of 128 rows. In granules of 8,192 rows by the month, the events of a thousand users were
-- every row of four million; here they are a sixteenth. Compact parts, so that a granule is one place of the disk.
--
-- What is there already is moved in the background (services/stores/analytics/clickhouse/user-order.ts): each of these tables
-- has the comment 'complete' once it has all.

-- One user's events by time, fed from track_rows. By the year: each part that may have rows of a user costs a granule.
CREATE TABLE IF NOT EXISTS user_track_rows
(
    project_id       LowCardinality(String),
    user             UInt128,
    timestamp        DateTime64(6, 'UTC'),
    message_id       String,
    event            LowCardinality(String),
    received_at      DateTime64(6, 'UTC'),
    session_id       String,
    properties_text  String CODEC(ZSTD(1)),
    message_id_given Bool,
    precedence       UInt64,
    anonymous_id     String
)
ENGINE = ReplacingMergeTree(precedence)
PARTITION BY toYear(received_at)
ORDER BY (project_id, user, timestamp, message_id, event)
SETTINGS index_granularity = 128;

ALTER TABLE user_track_rows MODIFY SETTING min_bytes_for_wide_part = 17179869184;

CREATE MATERIALIZED VIEW IF NOT EXISTS user_track_rows_of_tracks TO user_track_rows AS
SELECT project_id, user, timestamp, message_id, event, received_at, session_id, properties_text, message_id_given,
       precedence, anonymous_id
FROM track_rows;

-- After the other is there, so that no row is in neither. user_event_rows is emptied as its rows are moved.
DROP VIEW IF EXISTS user_event_rows_of_tracks;

-- The traits of one user, fed from trait_rows: the highest version is the trait.
CREATE TABLE IF NOT EXISTS user_trait_rows
(
    project_id LowCardinality(String),
    user       UInt128,
    trait      LowCardinality(String),
    version    UInt128,
    kind       Enum8('deleted' = 0, 'boolean' = 1, 'number' = 2, 'string' = 3, 'array' = 4, 'object' = 5),
    value      String CODEC(ZSTD(1))              -- JSON text as it was sent; '' where deleted
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (project_id, user, trait)
SETTINGS index_granularity = 128;

ALTER TABLE user_trait_rows MODIFY SETTING min_bytes_for_wide_part = 17179869184;

CREATE MATERIALIZED VIEW IF NOT EXISTS user_trait_rows_of_traits TO user_trait_rows AS
SELECT project_id, user, trait, version, kind, value
FROM trait_rows;

-- Which audiences a user is in, fed from audience_members: the newest change of each.
CREATE TABLE IF NOT EXISTS audience_members_by_user
(
    project_id   LowCardinality(String),
    user         UInt128,
    audience_id  String,
    change       Enum8('left' = 0, 'entered' = 1),
    evaluated_at DateTime64(6, 'UTC')
)
ENGINE = ReplacingMergeTree(evaluated_at)
ORDER BY (project_id, user, audience_id)
SETTINGS index_granularity = 128;

ALTER TABLE audience_members_by_user MODIFY SETTING min_bytes_for_wide_part = 17179869184;

CREATE MATERIALIZED VIEW IF NOT EXISTS audience_members_by_user_of_members TO audience_members_by_user AS
SELECT project_id, user, audience_id, change, evaluated_at
FROM audience_members;

-- Of a live change: who held the right to make it. It counts up to where that holder had decided, which Postgres knows. 0: the
-- change is one of an evaluation, and counts if that is in audience_evaluations.
ALTER TABLE audience_changes ADD COLUMN IF NOT EXISTS epoch UInt64;

-- As in 012-anonymous-ids.sql, with rows from before where they may still be.
CREATE OR REPLACE VIEW user_timeline AS
SELECT timestamp, event, message_id, received_at, session_id, properties_text, anonymous_id
FROM
(
    SELECT timestamp, event, message_id, received_at, session_id, properties_text, anonymous_id, precedence
    FROM
    (
        SELECT project_id, user, timestamp, event, message_id, received_at, session_id, properties_text, anonymous_id, precedence
        FROM user_track_rows
        UNION ALL
        SELECT project_id, user, timestamp, event, message_id, received_at, session_id, properties_text, anonymous_id, precedence
        FROM user_event_rows
    )
    WHERE project_id = {project:String}
      -- The first 128 bits of the internal id: services/messages/user-key.ts.
      AND user = reinterpretAsUInt128(reverse(substring(SHA256(concat(
          '4:user', toString(length({project:String})), ':', {project:String},
          toString(length({user_id:String})), ':', {user_id:String})), 1, 16)))
    ORDER BY precedence DESC
    LIMIT 1 BY event, message_id, toDate32(timestamp)
);
