-- Events under a key of numbers alone. event_rows had message_id as text in its key, which FINAL reads and compares in
-- every row: a question about 10 million events took a third longer for it. As no column can leave a key, the rows move.

-- Something a user did. A repeat (same user, event, day and message_id) is in the same partition of the log, so that the
-- lower offset, the higher precedence, is the first copy; that one stays.
CREATE TABLE IF NOT EXISTS track_rows
(
    project_id       LowCardinality(String),
    event            LowCardinality(String),
    day              Date32 DEFAULT toDate32(timestamp),
    user             UInt128,                     -- the first 128 bits of the internal user id
    -- For message_id. That two ids of one user, event and day share a number: for a million of them, once in 10^7 such days.
    message_number   UInt64 DEFAULT sipHash64(message_id),
    message_id       String,
    timestamp        DateTime64(6, 'UTC'),
    received_at      DateTime64(6, 'UTC'),
    session_id       String,                      -- '' where there is none
    source           LowCardinality(String),
    -- For asking. In a key, '.' is written %2E, and '%' before 2E or 25 is written %25 (services/analytics/json-path.ts).
    -- Numbers beyond 64-bit integers and doubles are the nearest finite double. Strings stay strings, dates too.
    properties       JSON(max_dynamic_paths = 256),
    properties_text  String CODEC(ZSTD(1)),       -- as it was sent, digit for digit
    log_partition    UInt32,
    log_offset       UInt64,
    message_id_given Bool,                        -- whether the caller chose message_id: only then can a repeat come
    precedence       UInt64 DEFAULT 18446744073709551615 - log_offset
)
ENGINE = ReplacingMergeTree(precedence)
PARTITION BY toYYYYMM(received_at)
ORDER BY (project_id, event, day, user, message_number);

-- Compact parts: see 007-compact-parts.sql. A month into which nothing has come for a day becomes one part, beyond what
-- merges do by themselves: the fewer parts, the less FINAL has to compare.
ALTER TABLE track_rows MODIFY SETTING min_bytes_for_wide_part = 1073741824, min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1, enable_max_bytes_limit_for_min_age_to_force_merge = 1;

-- Where this file is run again after all of it was done but for the record of it.
CREATE TABLE IF NOT EXISTS event_rows AS track_rows
ENGINE = ReplacingMergeTree(precedence)
PARTITION BY toYYYYMM(received_at)
ORDER BY (project_id, event, day, user, message_id);

-- What a sink of the version before still inserts, comes along.
CREATE MATERIALIZED VIEW IF NOT EXISTS event_rows_moved TO track_rows AS
SELECT project_id, event, user, message_id, timestamp, received_at, session_id, source, properties, properties_text,
       log_partition, log_offset, message_id_given, precedence
FROM event_rows;

INSERT INTO track_rows (project_id, event, user, message_id, timestamp, received_at, session_id, source, properties,
                        properties_text, log_partition, log_offset, message_id_given, precedence)
SELECT project_id, event, user, message_id, timestamp, received_at, session_id, source, properties, properties_text,
       log_partition, log_offset, message_id_given, precedence
FROM event_rows
SETTINGS insert_deduplicate = 0, optimize_on_insert = 0, max_partitions_per_insert_block = 0, json_type_escape_dots_in_keys = 1;

-- After the move, so that it does not feed all of it again. The key of user_event_rows folds what comes by both.
CREATE MATERIALIZED VIEW IF NOT EXISTS user_event_rows_of_tracks TO user_event_rows AS
SELECT project_id, user, timestamp, message_id, event, received_at, session_id, properties_text, message_id_given,
       precedence, event AS event_name
FROM track_rows;

DROP VIEW IF EXISTS user_event_rows_feed;

-- What users did. A repeat sent under another timestamp of another day is still a row of its own: count distinct
-- (user, event, message_id).
CREATE OR REPLACE VIEW events AS
SELECT project_id, event, user, message_id, timestamp, received_at, session_id, source, properties, properties_text,
       log_partition, log_offset
FROM track_rows FINAL;

-- Who did it so often since then; times counts different messages.
CREATE OR REPLACE VIEW users_who_did AS
SELECT did.user AS user, known.internal_id AS internal_id, known.user_id AS user_id, did.times AS times,
       fromUnixTimestamp64Micro(did.first_micros, 'UTC') AS first_at,
       fromUnixTimestamp64Micro(did.last_micros, 'UTC') AS last_at
FROM
(
    SELECT user, uniqExact(message_number) AS times, min(toUnixTimestamp64Micro(timestamp)) AS first_micros,
           max(toUnixTimestamp64Micro(timestamp)) AS last_micros
    FROM track_rows FINAL
    WHERE project_id = {project:String} AND event = {event:String}
      AND day >= toDate32({since:DateTime64(6, 'UTC')}) AND timestamp >= {since:DateTime64(6, 'UTC')}
    GROUP BY user
    HAVING times >= {at_least:UInt64}
) AS did
LEFT JOIN
(
    SELECT user, max(user_rows.internal_id) AS internal_id, max(user_rows.user_id) AS user_id
    FROM user_rows
    WHERE project_id = {project:String}
    GROUP BY user
) AS known ON known.user = did.user;

-- How often each event was done by how many users, day by day (UTC).
CREATE OR REPLACE VIEW event_counts_by_day AS
SELECT day, event, count() AS events, uniqExact(user) AS users
FROM track_rows FINAL
WHERE project_id = {project:String} AND day >= toDate32({since:DateTime64(6, 'UTC')})
GROUP BY day, event;

-- A sink of the version before now fails at every insert, and waits for its successor.
DROP TABLE IF EXISTS event_rows SYNC SETTINGS max_table_size_to_drop = 0;

DROP VIEW IF EXISTS event_rows_moved;
