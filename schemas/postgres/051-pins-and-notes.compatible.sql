-- What people keep on the first page of the console, and what they note on its charts. Settings: backed up, not in the log.

create table pins
(
    project_id   text collate "C" not null references projects (id) on delete cascade,
    name         text collate "C" not null,
    address      text not null, -- of a page of the console, behind its #/
    pinned_at_ms int8 not null,
    primary key (project_id, name)
);

create table notes
(
    id         text collate "C" primary key,
    project_id text collate "C" not null references projects (id) on delete cascade,
    at         int8 not null,   -- that it is about, in microseconds since 1970
    text       text not null,
    noted_by   text             -- the id of the key; null: not known
);

create index notes_by_project on notes (project_id, at);
