-- Live audiences where several processes have sinks: each sink notes whom an insert is about, and one of the processes decides.
-- Not compatible: an older program would note nothing, and would evaluate what another process follows.

create table live_touches
(
    id         int8 generated always as identity primary key,
    generation int4 not null, -- of analytics
    users      text not null  -- JSON: see services/questions/live/sql-touches.ts
);

-- Until when no other process may begin an epoch while this one is open, in milliseconds since 1970; null: any may.
alter table live_epochs add column held_until_ms int8;

-- Whether a process changes who is in it between evaluations: only the one that has the open epoch may claim it.
alter table audiences add column is_held boolean not null default false;
