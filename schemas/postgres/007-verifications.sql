-- What the service found when it last held the stores against the log by itself (services/verify). One row: whichever
-- process takes the turn writes it, and all show it as metrics.
create table verifications
(
    only_row           int4 primary key default 1 check (only_row = 1),
    begun_at_ms        int8 not null,
    finished_at_ms     int8,                      -- null: never yet
    missing_postgres   int8 not null default 0,
    missing_clickhouse int8 not null default 0,
    surplus_postgres   int8 not null default 0,
    surplus_clickhouse int8 not null default 0
);
