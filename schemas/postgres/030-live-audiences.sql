-- Audiences that follow every message and the passing of time. Settings, as all of an audience: backed up, not in the log.

alter table audiences
    add column is_live      boolean not null default false check (not is_live or refresh_ms is null),
    add column live_epoch   int8, -- the epoch whose `through` is also that of this audience; null: it is being evaluated
    add column live_through int8; -- microseconds since 1970: how far it had come in the epochs before that one

-- Who decided live changes, one after another: a process from its start to its end, or to a failure that left in doubt what it
-- wrote. The changes of an epoch count up to `through`. Only the newest is open, and only it may move.
create table live_epochs
(
    epoch   int8 primary key,
    through int8 not null,       -- microseconds since 1970
    is_open boolean not null
);
