-- What verifications found, by project and hour (services/maintenance/verify/verification-hours.ts): of the newest ones that
-- were started, by the id of their job, and of the last that the service did by itself, as `last`. Never touched by replay.

create table verification_hours
(
    verification text collate "C" not null,
    hour_ms      int8 not null,                    -- its first instant
    project_id   text collate "C" not null,
    is_equal     boolean not null,
    report       text not null,                    -- JSON
    primary key (verification, hour_ms, project_id)
);

-- The rest of what the last one found: JSON. Null where a version before this one did it.
alter table verifications add column report text;
