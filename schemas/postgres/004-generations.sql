-- Generations: profiles and analytics as they were read from the log, each time from its start. Never touched by replay
-- itself but for these rows. Files named NNN-profiles….sql make the tables of a generation: here for the first, in a
-- schema of their own for each later one (services/generations/).

create table generations
(
    kind              text collate "C" not null check (kind in ('profiles', 'analytics')),
    number            int4 not null,
    project_id        text collate "C",           -- whose messages alone it holds; null: everybody's
    state             text not null check (state in ('building', 'built', 'dropping', 'dropped')),
    rate_limit        float8,                     -- messages a second that a reader of it reads; null: no limit
    -- Topic/partition → offset: what could not be processed below it was put aside by an older generation already.
    dead_letters_from text not null default '{}',
    held_until_ms     int8 not null default 0,    -- until then its reader takes no step
    created_at_ms     int8 not null,
    caught_up_at_ms   int8,                       -- when it first reached the end of the log
    messages          int8,                       -- that it had read by then
    primary key (kind, number)
);

-- Which generation answers: a row for everybody's messages (project_id is ''), and one for each project that has ever
-- been replayed by itself.
create table live_generations
(
    kind       text collate "C" not null,
    project_id text collate "C" not null,
    number     int4,                              -- null: the same as everybody's
    previous   int4,                              -- what answered before, for rollback; null likewise
    since_ms   int8 not null,
    primary key (kind, project_id)
);

insert into generations (kind, number, state, created_at_ms)
values ('profiles', 1, 'built', (extract(epoch from now()) * 1000)::int8),
       ('analytics', 1, 'built', (extract(epoch from now()) * 1000)::int8);

insert into live_generations (kind, project_id, number, previous, since_ms)
values ('profiles', '', 1, 1, 0),
       ('analytics', '', 1, 1, 0);
