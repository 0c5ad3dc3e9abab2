-- A deleted project is an erasure of everybody of it: `user_key` is empty. Messages of the project stay on the log for its
-- retention, and readers leave them out by this row, so it stays for ever. Not compatible: an older program would look for
-- deleted projects in another table.

alter table erasures
    add column project_name text,                           -- of a deleted project; null: the row is of a person
    add column is_on_log    boolean not null default false, -- whether the topic tidemark.project has the deletion
    add constraint erasures_of_whom check ((user_key = '') = (project_name is not null));

-- The id is the same wherever the same backup is restored.
insert into erasures (id, project_id, user_key, suppress, state, requested_at_us, due_at_us, finished_at_us, actor,
                      project_name, is_on_log)
select 'erasure_' || left(md5(id), 20), id, '', true, case when finished_at_ms is null then 'pending' else 'done' end,
       deleted_at_ms * 1000, deleted_at_ms * 1000 + 30 * 86400000000, finished_at_ms * 1000, 'local', name, is_on_log
from deleted_projects;

drop table deleted_projects;

create unique index erasures_of_projects on erasures (project_id) where user_key = '';
