-- Events that were erased by a condition are an erasure too: its `user_key` is 'events', and what was asked for stands here as
-- JSON, without the values of the condition, which may be what is to be gone. Which events these are stands in a table of its
-- own, for ever, as people do: what a replay or a backup brings back is judged by it. Not compatible: an older program would
-- write what readers leave out.

alter table erasures
    add column events text, -- null: of a person or a project
    add constraint erasures_of_events check ((user_key = 'events') = (events is not null));

create table erased_events
(
    erasure_id text collate "C" not null,
    project_id text collate "C" not null, -- no reference: the row outlives the project
    user_key   text collate "C" not null, -- the internal id of whose events they are
    keys       text[] not null,           -- each the first 64 bits of a hash: services/stores/erasures/event-key.ts
    primary key (erasure_id, user_key)
);
