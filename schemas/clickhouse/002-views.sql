-- What to ask: every message once, however often it was sent or inserted. FINAL compares rows across partitions (a repeat
-- may arrive in the next month), so do_not_merge_across_partitions_select_final must stay 0.

-- What users did. A repeat sent under another timestamp of another day is still a row of its own: count distinct
-- (user, event, message_id).
CREATE OR REPLACE VIEW events AS
SELECT project_id, event, user, message_id, timestamp, received_at, session_id, source, properties, properties_text,
       log_partition, log_offset
FROM event_rows FINAL;

CREATE OR REPLACE VIEW sessions AS
SELECT project_id, user, session_id, message_id, timestamp, received_at, anonymous, version
FROM session_rows FINAL;

-- The traits that are set, a row each.
CREATE OR REPLACE VIEW profile_traits AS
SELECT project_id, user, trait, kind, value, text, number, integer, version
FROM trait_rows FINAL
WHERE kind != 'deleted';

-- Every user that any message named. user_id is '' where only the internal id is known. min and max are of whole numbers:
-- compiled (compile_aggregate_expressions), ClickHouse 26.7 takes times before 1970 for the latest.
CREATE OR REPLACE VIEW users AS
SELECT project_id, user, max(internal_id) AS internal_id, max(user_id) AS user_id, max(anonymous_id) AS anonymous_id,
       fromUnixTimestamp64Micro(min(toUnixTimestamp64Micro(user_rows.first_seen)), 'UTC') AS first_seen,
       fromUnixTimestamp64Micro(max(toUnixTimestamp64Micro(user_rows.last_seen)), 'UTC') AS last_seen
FROM user_rows
GROUP BY project_id, user;

-- A user with all traits as one JSON object (text), keys in order; anonymous is NULL where no session ever began.
CREATE OR REPLACE VIEW profiles AS
SELECT users.project_id AS project_id, users.user AS user, internal_id, user_id, anonymous_id, first_seen, last_seen,
       anonymous, if(traits = '', '{}', traits) AS traits
FROM users
LEFT JOIN
(
    SELECT project_id, user,
           concat('{', arrayStringConcat(
               arrayMap(pair -> concat(toJSONString(pair.1), ':', pair.2), arraySort(groupArray((trait, value)))), ','), '}') AS traits
    FROM profile_traits
    GROUP BY project_id, user
) AS set_traits ON set_traits.project_id = users.project_id AND set_traits.user = users.user
LEFT JOIN
(
    SELECT project_id, user, toNullable(argMax(anonymous, version)) AS anonymous
    FROM sessions
    GROUP BY project_id, user
) AS newest_sessions ON newest_sessions.project_id = users.project_id AND newest_sessions.user = users.user;
