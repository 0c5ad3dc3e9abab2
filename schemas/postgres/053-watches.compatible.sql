-- Watches: saved questions with a rule, and what they found last. Settings and their state: backed up, not in the log.

create table watches
(
    id               text collate "C" primary key,
    project_id       text collate "C" references projects (id) on delete cascade, -- null: what of the installation wants attention
    name             text collate "C" not null,
    definition       text not null,                -- JSON: question, rule, endpoints; as it was saved
    state            text not null default '{}',   -- JSON: services/questions/watches/watch.ts
    failure          text,                         -- why it could not be evaluated the last time
    due_at_ms        int8 not null default 0,

    -- Who evaluates it now.
    claim            text collate "C",
    claimed_until_ms int8,                         -- by the database's clock
    unique (project_id, name)
);

-- What the body of a message is: json, or what a chat takes.
alter table endpoints add column format text not null default 'json';
