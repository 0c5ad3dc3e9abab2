-- Records of the log that were made blank because the people of their messages were forgotten. A row is written before the
-- record is blank, and stays: verification takes these from what the stores must have, and a blank record without a row is
-- damage. Not compatible: to an older program a blank record of Kafka is a dead letter, and one of any log is missing.

create table blanked
(
    topic      text collate "C" not null,
    partition  int4 not null,
    log_offset int8 not null,
    project_id text collate "C" not null, -- no reference: the row outlives the project
    hour       int4 not null,             -- in which the message arrived: whole hours since 1970
    primary key (topic, partition, log_offset)
);
