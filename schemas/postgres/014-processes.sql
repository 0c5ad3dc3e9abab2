-- The processes of an installation, each with what it last told of itself, every few seconds: for GET /v1/admin/status. A
-- process deletes its row when it stops; one that died is deleted by another after an hour.
create table processes
(
    id         text collate "C" primary key,
    report     text not null,                     -- JSON
    beat_at_ms int8 not null                      -- by the database's clock
);
