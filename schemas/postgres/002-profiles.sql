-- Profiles as the projector folds them from the log: thrown away and read again at any time.
-- Text that is compared or ordered is compared by its bytes (collate "C"), as everywhere else in the program.

-- Every user that any message named. Narrow, because every track of a user touches it. Nothing but the key is indexed
-- and pages keep room, so that an update stays within its page (HOT) and leaves nothing to vacuum.
create table users
(
    project_id        text collate "C" not null,
    user_key          text collate "C" not null,  -- the internal id: 64 hexadecimal digits
    user_id           text collate "C",           -- the caller's; null where only the internal id is known
    anonymous_id      text collate "C",
    first_seen        int8 not null,              -- microseconds since 1970
    last_seen         int8 not null,
    anonymous         boolean,                    -- of the newest session message
    anonymous_version text collate "C",
    primary key (project_id, user_key)
) with (fillfactor = 70);

-- Traits of those users that ever had one. A deleted trait is in versions, not in traits.
create table profiles
(
    project_id text collate "C" not null,
    user_key   text collate "C" not null,
    traits     jsonb not null,                    -- trait → value; never null, though nulls may be nested
    versions   jsonb not null,                    -- trait → version of the newest message that mentions it
    primary key (project_id, user_key)
) with (fillfactor = 80);

-- Where the projector stands, moved together with what it wrote.
create table reader_positions
(
    topic       text collate "C" not null,
    partition   int4 not null,
    next_offset int8 not null,
    identity    text not null,                    -- of the record before, '' where nothing was read
    primary key (topic, partition)
);

-- The last range of each partition that the sink set out to insert.
create table sink_plans
(
    topic         text collate "C" not null,
    partition     int4 not null,
    from_offset   int8 not null,
    from_identity text not null,
    to_offset     int8 not null,
    to_identity   text not null,
    inserted      boolean not null,
    primary key (topic, partition)
);

-- Which copy of a message that sets traits, and whose id the caller gave, counts: the first of its partition.
create table applied
(
    reader        text collate "C" not null,      -- projector or sink
    identity      uuid not null,                  -- 128 bits of SHA-256 of project, topic, user and message id
    partition     int4 not null,
    log_offset    int8 not null,
    applied_at_ms int8 not null,
    primary key (reader, identity)
);

-- For forgetting what is older than the window. Rows lie in about the order of their time: a BRIN index of a few pages.
create index applied_by_time on applied using brin (applied_at_ms);
