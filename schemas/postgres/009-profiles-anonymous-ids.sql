-- The anonymous ids that messages gave beside a user id: at most 100 of a user, those seen last. A user who is known by an
-- anonymous id alone has none here, for it is users.anonymous_id. last_seen is in no index, so that an update stays within
-- its page (HOT).
create table anonymous_ids
(
    project_id   text collate "C" not null,
    user_key     text collate "C" not null,
    anonymous_id text collate "C" not null,
    last_seen    int8 not null,                   -- highest timestamp of a message that gave both, in microseconds since 1970
    primary key (project_id, user_key, anonymous_id)
) with (fillfactor = 70);

create index anonymous_ids_by_id on anonymous_ids (project_id, anonymous_id, user_key);
