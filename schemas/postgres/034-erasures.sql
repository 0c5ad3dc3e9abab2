-- The people that were asked to be forgotten, each by an internal id. A row stays for ever: what a replay or a backup brings
-- back is judged by it. Not compatible: an older program would write what readers leave out.

create table erasures
(
    id              text collate "C" primary key,
    project_id      text collate "C" not null,     -- no reference: the row outlives the project
    user_key        text collate "C" not null,     -- the internal id
    cut_us          int8,                          -- messages received up to then are gone, in microseconds since 1970; null: all are
    suppress        boolean not null,              -- whether all messages are dropped until it is lifted; else until it is done
    came_with       text collate "C",              -- the erasure of the person that this anonymous id is of
    state           text not null check (state in ('pending', 'done')),
    requested_at_us int8 not null,
    due_at_us       int8 not null,
    finished_at_us  int8,                          -- null: not yet
    lifted_at_us    int8,                          -- null: not yet
    actor           text not null,                 -- who asked: the id of a key, or local
    report          text,                          -- JSON: what was deleted; null: not yet known
    check ((state = 'done') = (finished_at_us is not null))
);

create index erasures_by_user on erasures (project_id, user_key);
create index erasures_pending on erasures (requested_at_us) where state = 'pending';

-- Whom a message of user.forgotten names: JSON, null once it was delivered.
alter table endpoint_deliveries add column forgotten text;
