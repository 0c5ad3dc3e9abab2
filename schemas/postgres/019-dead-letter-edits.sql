-- Dead letters that were edited: a corrected record was appended in place of the message.

alter table settled_dead_letters
    drop constraint settled_dead_letters_state_check,
    drop constraint settled_dead_letters_check,
    add constraint settled_dead_letters_state_check check (state in ('replayed', 'dropped', 'edited')),
    add constraint settled_dead_letters_check
        check ((state <> 'dropped') = (copy_partition is not null and copy_offset is not null));

-- What is appended in place of a message, written before it is: a process that ends between the two leaves what the next
-- edit of the same message must append. So no message ever gets two corrections.
create table dead_letter_edits
(
    topic        text collate "C" not null,       -- of the message that is corrected; the record has the same
    partition    int4 not null,
    log_offset   int8 not null,
    digest       bytea not null,                  -- SHA-256 of the record's value
    record_key   bytea,                           -- null once the record is known to be appended
    record_value bytea,
    begun_at_ms  int8 not null,
    primary key (topic, partition, log_offset)
);
