-- Projects, their keys and settings: not in the log, never touched by replay, to be backed up.

create table projects
(
    id             text collate "C" primary key,
    name           text   not null,
    timezone       text   not null,
    rate_limit     float8,                        -- requests a second per ingest process; null: no limit
    session_secret bytea  not null check (octet_length(session_secret) = 32),
    created_at_ms  int8   not null
);

create table api_keys
(
    id            text collate "C" primary key,   -- names the key; not the key itself
    project_id    text collate "C" not null references projects (id),
    scope         text not null check (scope in ('write', 'read')),
    sha256        text collate "C" not null unique check (sha256 ~ '^[0-9a-f]{64}$'),
    created_at_ms int8 not null,
    revoked_at_ms int8
);

create index api_keys_by_project on api_keys (project_id);
