-- Messages that a reader of a generation passed and did not store: it could not process them (each is in the dead letters),
-- or it found them settled as dead letters before. By where they are on the log, without content. Of all generations, kept
-- when one is dropped, never touched by replay, to be backed up.

create table unstored_messages
(
    reader     text collate "C" not null,         -- projector or sink
    generation int4 not null,                     -- 0: an earlier one, as the dead letters say
    topic      text collate "C" not null,
    partition  int4 not null,
    log_offset int8 not null,
    is_current boolean not null,                  -- false: the generation's position was set back since, or it is not known
    primary key (topic, partition, log_offset, reader, generation)
);

create index unstored_messages_by_generation on unstored_messages (reader, generation) where is_current;

-- What the readers of a generation did not store before this time is known by the dead letters alone. Of generations that were
-- read before this table existed it is a day from now, since processes of an older version may run until then.
alter table generations add column unstored_since_ms int8 not null default 0;
update generations set unstored_since_ms = (extract(epoch from now()) * 1000)::int8 + 86400000
where number > 1 or exists (select 1 from reader_positions) or exists (select 1 from sink_plans);
