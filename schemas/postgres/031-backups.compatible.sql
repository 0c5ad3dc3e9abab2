-- Backups and restores: what all processes of an installation have to know of them. Older programs do not read it.

-- The last backup into each folder.
create table backups
(
    folder         text collate "C" primary key,
    begun_at_ms    int8 not null,                 -- the last try
    finished_at_ms int8,                          -- of the last that came to its end; null: none has
    result         text                           -- of that one, JSON
);

-- The restore that fills this database, or has filled it. Until it has ended no process of the service works on it.
create table restores
(
    only_row       int4 primary key default 1 check (only_row = 1),
    backup         text not null,                 -- names the backup: when its tables were read, and up to when its log goes
    begun_at_ms    int8 not null,
    tables_at_ms   int8,                          -- when the tables were filled; null: not yet
    finished_at_ms int8,                          -- null: not yet
    failure        text                           -- why it can never come to its end
);
