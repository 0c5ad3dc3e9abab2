-- What a saved audience was before: its definitions, and its size by evaluation. Neither is in the log: to be backed up.

alter table audiences
    -- Increases by one with every change by a caller (name, definition, refresh): what If-Match compares.
    add column revision         int4 not null default 1,
    -- The newest evaluation that changed who is in the audience and whose changes can be read from analytics, in
    -- microseconds since 1970. Those who wait for changes look at it alone.
    add column changes_readable_at int8;

create table audience_versions
(
    audience_id   text collate "C" not null references audiences (id) on delete cascade,
    version       int4 not null,
    definition    text not null, -- JSON as it was sent
    changed_at_ms int8,          -- null: not known
    changed_by    text,          -- the id of the key; null: not known
    primary key (audience_id, version)
);

insert into audience_versions (audience_id, version, definition, changed_at_ms)
select id, version, definition, case when version = 1 then created_at_ms end from audiences;

create table audience_evaluations
(
    audience_id  text collate "C" not null references audiences (id) on delete cascade,
    evaluated_at int8 not null, -- microseconds since 1970
    version      int4 not null, -- of the definition
    cause        text not null,
    members      int8 not null, -- after it
    entered      int8 not null,
    left_members int8 not null,
    primary key (audience_id, evaluated_at)
);

insert into audience_evaluations (audience_id, evaluated_at, version, cause, members, entered, left_members)
select id, evaluated_at, evaluated_version, evaluated_cause, members, entered, left_members from audiences
where evaluated_at is not null and evaluated_version is not null and evaluated_cause is not null;
