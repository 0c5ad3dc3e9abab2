-- What was refused, by project, key, path and problem: one row a group a day (ingest/refusal-counts.ts). Not in the log, never
-- touched by replay. Rows are deleted after 30 days.
create table refusals
(
    project_id  text collate "C" not null,
    key_id      text collate "C" not null,        -- '': not known
    path        text collate "C" not null,        -- of the route; '': groups beyond the most that a project has
    code        text collate "C" not null,        -- of the problem; 'other': groups beyond the most that a project has
    pointer     text collate "C" not null,        -- to the member at fault, '*' for indices; '': the whole, or none
    day         int4 not null,                    -- UTC, in days since 1970-01-01
    count       int8 not null,
    first_at_ms int8 not null,
    last_at_ms  int8 not null,
    message     text not null,                    -- what was said of the last
    example     text,                             -- the beginning of a body or item; null: there was none
    primary key (project_id, key_id, path, code, pointer, day)
);

create index refusals_by_day on refusals (day, project_id);
