-- Projects that were deleted. Their messages stay on the log for its retention, and
-- readers skip them by this table: so it is kept, and is to be backed up with the projects.

create table deleted_projects
(
    id             text collate "C" primary key,
    name           text not null,
    deleted_at_ms  int8 not null,
    finished_at_ms int8                          -- when nothing of it was left in the stores; null: not yet
);
