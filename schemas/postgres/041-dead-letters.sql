-- Dead letters: messages that a reader could not process. The rows are read from the topic of dead letters, which keeps the
-- bytes, and can be read from it again. Of all generations, never touched by replay. Not compatible: an older program would
-- look for the tables that are taken away here.

create table dead_letters
(
    topic            text collate "C" not null,        -- of the message, not of its dead letter
    partition        int4 not null,
    log_offset       int8 not null,
    reader           text collate "C" not null,        -- projector or sink
    unstored_in      int4[] not null default '{}',     -- the generations that passed the message and did not store it
    letter_partition int4,                             -- where the dead letter is on its topic
    letter_offset    int8,                             -- null: it has not been read yet, or was deleted from its topic
    appended_at_ms   int8,                             -- when the dead letter was appended, by the clock of the log
    failed_at_us     int8,
    error            text,                             -- null: nobody is to see it; the project was deleted, or the person forgotten
    code             text collate "C",                 -- with which the error begins
    bytes            int4,                             -- of the message
    project_id       text collate "C",                 -- this and the next: null where the message cannot be decoded
    user_key         text collate "C",
    message_id       text collate "C",
    received_at_us   int8,
    primary key (topic, partition, log_offset, reader)
);

-- Two kinds of rows have the topic of dead letters and no reader (''). One has the offset of a record that is no dead letter.
-- One for each partition has the offset -1: its letter_offset says how far the topic has been read.

create index dead_letters_by_letter on dead_letters (letter_partition, letter_offset);

insert into dead_letters (topic, partition, log_offset, reader, unstored_in)
select topic, partition, log_offset, reader, coalesce(array_agg(generation) filter (where is_current), '{}')
from unstored_messages
group by topic, partition, log_offset, reader;

drop table unstored_messages;
alter table generations drop column unstored_since_ms;

-- An edit that was begun is a decision that is not carried out yet.
alter table settled_dead_letters
    add column edit_digest bytea,                      -- SHA-256 of the value of the record that is appended in place of the message
    add column edit_key    bytea,                      -- null once the record is known to be appended
    add column edit_value  bytea,
    drop constraint settled_dead_letters_state_check,
    drop constraint settled_dead_letters_check,
    add constraint settled_dead_letters_state_check check (state in ('replayed', 'dropped', 'edited', 'editing')),
    add constraint settled_dead_letters_check
        check ((state in ('replayed', 'edited')) = (copy_partition is not null and copy_offset is not null));

insert into settled_dead_letters as settled
    (topic, partition, log_offset, state, settled_at_ms, edit_digest, edit_key, edit_value)
select topic, partition, log_offset, 'editing', begun_at_ms, digest, record_key, record_value
from dead_letter_edits
where record_value is not null
on conflict (topic, partition, log_offset) do nothing;

update settled_dead_letters as settled
set edit_digest = edits.digest
from dead_letter_edits as edits
where (settled.topic, settled.partition, settled.log_offset) = (edits.topic, edits.partition, edits.log_offset)
  and settled.state = 'edited';

drop table dead_letter_edits;
