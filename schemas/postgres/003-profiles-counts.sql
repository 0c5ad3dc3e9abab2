-- What `tidemark verify` holds against the log. Written in the transaction that moves the position, and like it a
-- matter of each reader: profiles that are read anew are counted anew.

-- Applied by the projector. A partition is written by one projector at a time, so that nobody waits for these rows.
create table applied_counts
(
    topic      text collate "C" not null,
    partition  int4 not null,
    project_id text collate "C" not null,
    hour       int4 not null,                     -- of received_at: whole hours since 1970
    messages   int8 not null,                     -- that count
    repeats    int8 not null,                     -- of earlier ones, which were left out
    primary key (topic, partition, project_id, hour)
) with (fillfactor = 50);

create index applied_counts_by_hour on applied_counts (hour);

-- From which offset on every message of the partition is in applied_counts: what was applied before this table was
-- made is not. Null until the projector moves it for the first time since.
alter table reader_positions add column counted_from int8;

-- From which offset on analytics was given a row of every message: identifies had none before. Null likewise.
alter table sink_plans add column rows_from int8;
