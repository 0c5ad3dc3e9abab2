-- What became of messages in the dead letters, by where they stood. The log is appended to and never changed, so that it
-- cannot say. Of all generations of profiles and analytics, never touched by replay, to be backed up.

create table settled_dead_letters
(
    topic          text collate "C" not null,     -- of the message that was put aside, not of its dead letter
    partition      int4 not null,
    log_offset     int8 not null,
    state          text not null check (state in ('replayed', 'dropped')),
    settled_at_ms  int8 not null,
    copy_partition int4,                          -- where it was appended again, on the same topic; the last time
    copy_offset    int8,
    primary key (topic, partition, log_offset),
    check ((state = 'replayed') = (copy_partition is not null and copy_offset is not null))
);

-- A copy may be put aside again.
create index settled_dead_letters_by_copy on settled_dead_letters (topic, copy_partition, copy_offset);
