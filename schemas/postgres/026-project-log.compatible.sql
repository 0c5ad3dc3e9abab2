-- Projects and their deletions are on the log too (topic tidemark.project). A row is put there again
-- whenever it differs from what was put there last, whichever version of the program changed it.

alter table projects
    add column log_revision int8 not null default 0,   -- of the last record that was begun
    add column on_log       text;                      -- the row as it is on the log; null: it is not

alter table deleted_projects
    add column is_on_log boolean not null default false;
