-- Webhooks: where changes of audiences are sent, how far each endpoint is, and what was sent in the last days. Not in the log,
-- never touched by replay, to be backed up.

create table endpoints
(
    id                  text collate "C" primary key,
    project_id          text collate "C" not null references projects (id) on delete cascade,
    url                 text not null,
    description         text,
    types               text[] not null,             -- what is sent
    audiences           text[] collate "C",          -- ids; null: every audience of the project
    traits              text,                        -- which traits stand beside a user, as the parameter of requests names them
    initial             text not null,               -- members: who is in an audience is sent first; none: only changes
    batch_size          int4 not null check (batch_size > 0),
    secret              text not null,               -- whsec_ and base64; whoever has it can sign
    old_secret          text,                        -- signs too, until:
    old_secret_until_ms int8,
    created_at_ms       int8 not null,
    updated_at_ms       int8 not null,
    disabled            text,                        -- gone: it answered 410; request: a caller disabled it; null: it is enabled

    -- Attempts that failed since the last that did not, and when the next is made.
    failures            int4 not null default 0,
    next_attempt_at_ms  int8 not null default 0,

    -- Who sends to it now.
    claim               text collate "C",
    claimed_until_ms    int8                         -- by the database's clock
);

create index endpoints_by_project on endpoints (project_id);

-- How far an endpoint has the changes of an audience. A row comes with the first evaluation that the endpoint is to know.
create table endpoint_positions
(
    endpoint_id  text collate "C" not null references endpoints (id) on delete cascade,
    audience_id  text collate "C" not null references audiences (id) on delete cascade,
    is_initial   boolean not null,                   -- the members after the evaluation `at` are being sent
    at           int8 not null,                      -- an evaluation, in microseconds since 1970; those before it are delivered
    after_user   text collate "C",                   -- internal id: of `at`, only users up to this one are; null: all (initial: none)
    primary key (endpoint_id, audience_id)
);

create index endpoint_positions_by_audience on endpoint_positions (audience_id);

-- What was sent, or is being sent: a range of the history of an audience, or a test.
create table endpoint_deliveries
(
    id              text collate "C" primary key,    -- the webhook-id
    sequence        int8 generated always as identity,
    endpoint_id     text collate "C" not null references endpoints (id) on delete cascade,
    type            text not null,
    state           text not null check (state in ('waiting', 'delivered', 'failed')),
    created_at_ms   int8 not null,

    audience_id     text collate "C",                -- of audience.changed, as everything down to changes
    is_initial      boolean,
    from_at         int8,                            -- where the range begins and ends, as in endpoint_positions
    from_user       text collate "C",
    to_at           int8,
    to_user         text collate "C",
    changes         int4 not null default 0,         -- users in it

    -- The last attempt.
    attempts        int4 not null default 0,
    attempted_at_ms int8,
    status          int4,                            -- that was answered; null: none
    error           text,                            -- why no answer came, or why it is none
    took_ms         int4,
    answer          text                             -- its first 200 bytes
);

create index endpoint_deliveries_by_endpoint on endpoint_deliveries (endpoint_id, sequence);
create index endpoint_deliveries_waiting on endpoint_deliveries (endpoint_id, sequence) where state = 'waiting';
