-- Saved audiences, and limits of a project's questions: settings, not in the log, never touched by replay, to be backed up.

-- Null: what the service has for all (QUERY_MAX_MS, QUERY_MAX_MEMORY_BYTES, QUERY_MAX_ROWS).
alter table projects
    add column query_max_ms           int8 check (query_max_ms > 0),
    add column query_max_memory_bytes int8 check (query_max_memory_bytes > 0),
    add column query_max_rows         int8 check (query_max_rows > 0);

create table audiences
(
    id               text collate "C" primary key,
    project_id       text collate "C" not null references projects (id),
    name             text collate "C" not null,
    definition       text not null,               -- JSON as it was sent
    version          int4 not null,               -- of the definition: from 1, one more with every change of it
    refresh_ms       int8 check (refresh_ms > 0), -- how often it is evaluated by itself; null: only when asked
    created_at_ms    int8 not null,
    updated_at_ms    int8 not null,
    deleted_at_ms    int8,                        -- nobody sees it; its history is being deleted, then the row is

    -- The last evaluation that counts. Its history lies in analytics.
    evaluated_at     int8,                        -- microseconds since 1970
    evaluated_version int4,
    evaluated_cause  text,
    members          int8,
    entered          int8,
    left_members     int8,
    failure          text,                        -- the error code of an evaluation after that one which failed

    -- Who evaluates it now, and when the next evaluation is due (null: never by itself).
    due_at_ms        int8,
    claim            text collate "C",
    claimed_until_ms int8,                        -- by the database's clock
    claimed_at       int8                         -- microseconds since 1970: names the evaluation under way, or the last try
);

create unique index audiences_by_name on audiences (project_id, name) where deleted_at_ms is null;
create index audiences_by_due on audiences (due_at_ms) where due_at_ms is not null;
