-- Work of operators that takes long: replays, verifications, dead letters, imports (services/admin/jobs). A process runs
-- the jobs that it accepted; any process lists and cancels them. Never touched by replay.

create table jobs
(
    id               text collate "C" primary key,
    kind             text collate "C" not null,
    args             text not null,                -- JSON
    principal        text not null,                -- who started it: the id of a key, or local
    state            text not null
        check (state in ('queued', 'running', 'done', 'failed', 'cancelled', 'interrupted')),
    progress         text,                         -- JSON
    rate             float8,                       -- of what the progress counts, a second
    result           text,                         -- JSON
    failure_code     text,
    failure          text,
    owner            text collate "C" not null,    -- the process that runs it
    cancel_requested boolean not null default false,
    created_at_ms    int8 not null,
    started_at_ms    int8,
    finished_at_ms   int8,
    heartbeat_at_ms  int8 not null                 -- when its owner last said that it is alive
);

create index jobs_by_age on jobs (created_at_ms desc, id desc);
create index jobs_unfinished on jobs (owner) where state in ('queued', 'running');
