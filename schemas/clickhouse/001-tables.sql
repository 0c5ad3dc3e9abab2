-- The tables that the sink writes. Ask the views of 002-views.sql instead: they count each message once.
--
-- An insert may be repeated after a crash, with the same rows: every column comes from the log alone (no now()), and
-- every table folds equal keys together. Times are UTC, exact to the microsecond from 1900 to 2299. Partitions are months
-- of received_at, which no caller can choose.

-- Something a user did. A repeat (same user and message_id) is in the same partition of the log, so that the lower
-- offset, the higher precedence, is the first copy; that one stays.
CREATE TABLE IF NOT EXISTS event_rows
(
    project_id       LowCardinality(String),
    event            LowCardinality(String),
    day              Date32 DEFAULT toDate32(timestamp),
    user             UInt128,                     -- the first 128 bits of the internal user id
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
ORDER BY (project_id, event, day, user, message_id);

-- The second order: one user's events by time. Fed by a materialized view on event_rows.
CREATE TABLE IF NOT EXISTS user_event_rows
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
    precedence       UInt64
)
ENGINE = ReplacingMergeTree(precedence)
PARTITION BY toYYYYMM(received_at)
ORDER BY (project_id, user, timestamp, message_id);

CREATE MATERIALIZED VIEW IF NOT EXISTS user_event_rows_feed TO user_event_rows AS
SELECT project_id, user, timestamp, message_id, event, received_at, session_id, properties_text, message_id_given,
       precedence
FROM event_rows;

-- A session began.
CREATE TABLE IF NOT EXISTS session_rows
(
    project_id    LowCardinality(String),
    user          UInt128,
    session_id    String,
    message_id    String,
    timestamp     DateTime64(6, 'UTC'),
    received_at   DateTime64(6, 'UTC'),
    anonymous     Bool,
    version       UInt128,
    log_partition UInt32,
    log_offset    UInt64,
    precedence    UInt64 DEFAULT 18446744073709551615 - log_offset
)
ENGINE = ReplacingMergeTree(precedence)
PARTITION BY toYYYYMM(received_at)
ORDER BY (project_id, user, message_id);

-- One row per trait that a message mentions; the highest version of (project, trait, user) is the trait. A deletion is
-- a row like any other, to be filtered after FINAL, so that an older value arriving later stays dead.
CREATE TABLE IF NOT EXISTS trait_rows
(
    project_id LowCardinality(String),
    trait      LowCardinality(String),
    user       UInt128,
    version    UInt128,
    kind       Enum8('deleted' = 0, 'boolean' = 1, 'number' = 2, 'string' = 3, 'array' = 4, 'object' = 5),
    value      String CODEC(ZSTD(1)),            -- JSON text as it was sent; '' where deleted
    text       String,                           -- the string itself where kind is string, 'true' or 'false' for a boolean
    number     Float64,                          -- nearest finite double where kind is number
    integer    Nullable(Int128)                  -- where kind is number and its value is a whole number of 64 bits, signed or not
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (project_id, trait, user);

-- Every user that any message named, folded: repeating a row changes nothing.
CREATE TABLE IF NOT EXISTS user_rows
(
    project_id   LowCardinality(String),
    user         UInt128,
    internal_id  SimpleAggregateFunction(max, String),
    user_id      SimpleAggregateFunction(max, String), -- the caller's; '' where only the internal id is known
    anonymous_id SimpleAggregateFunction(max, String),
    first_seen   SimpleAggregateFunction(min, DateTime64(6, 'UTC')),
    last_seen    SimpleAggregateFunction(max, DateTime64(6, 'UTC'))
)
ENGINE = AggregatingMergeTree
ORDER BY (project_id, user);

-- Which ranges of the log are held whole: noted after their rows.
CREATE TABLE IF NOT EXISTS held_ranges
(
    topic         LowCardinality(String),
    log_partition UInt32,
    from_offset   UInt64,                        -- inclusive
    to_offset     UInt64,                        -- exclusive
    identity      String,                        -- of the record before to_offset: that it is the same log
    noted_at      DateTime('UTC') DEFAULT now()  -- what was noted shortly before a power cut may not be on the disk
)
ENGINE = ReplacingMergeTree
ORDER BY (topic, log_partition, from_offset, to_offset);
