-- Where the log was cut: what was below these offsets stands in snapshots on the log, and is compared with no store.
create table log_cuts
(
    topic     text collate "C" not null,
    partition int4             not null,
    cut_at    int8             not null, -- records below this offset may be deleted
    before_us int8             not null, -- the log stored all of them before this instant, in microseconds since 1970
    primary key (topic, partition)
);
