-- user_track_rows alone has the events of a user, and nothing reads user_event_rows any more. Version 0.3 moved older rows into
-- the tables of 018-user-order.sql in the background, and gave a table the comment 'complete' once it had all of them. Where that
-- did not come to its end, the rest is moved here. These tables fold equal keys, so a row that is moved twice counts once.
-- What is being deleted (apply_mutations_on_fly) is not moved.

INSERT INTO user_track_rows (project_id, user, timestamp, message_id, event, received_at, session_id, properties_text,
                             message_id_given, precedence, anonymous_id)
SELECT project_id, user, timestamp, message_id, event, received_at, session_id, properties_text, message_id_given, precedence,
       anonymous_id
FROM user_event_rows
SETTINGS insert_deduplicate = 0, optimize_on_insert = 0, apply_mutations_on_fly = 1, max_partitions_per_insert_block = 0;

TRUNCATE TABLE user_event_rows SYNC SETTINGS max_table_size_to_drop = 0;

INSERT INTO user_trait_rows (project_id, user, trait, version, kind, value)
SELECT project_id, user, trait, version, kind, value
FROM trait_rows
WHERE (SELECT comment FROM system.tables WHERE database = currentDatabase() AND name = 'user_trait_rows') != 'complete'
SETTINGS insert_deduplicate = 0, optimize_on_insert = 0, apply_mutations_on_fly = 1;

INSERT INTO audience_members_by_user (project_id, user, audience_id, change, evaluated_at)
SELECT project_id, user, audience_id, change, evaluated_at
FROM audience_members
WHERE (SELECT comment FROM system.tables WHERE database = currentDatabase() AND name = 'audience_members_by_user') != 'complete'
SETTINGS insert_deduplicate = 0, optimize_on_insert = 0, apply_mutations_on_fly = 1;

CREATE OR REPLACE VIEW user_timeline AS
SELECT timestamp, event, message_id, received_at, session_id, properties_text, anonymous_id
FROM
(
    SELECT timestamp, event, message_id, received_at, session_id, properties_text, anonymous_id, precedence
    FROM user_track_rows
    WHERE project_id = {project:String}
      -- The first 128 bits of the internal id: services/messages/user-key.ts.
      AND user = reinterpretAsUInt128(reverse(substring(SHA256(concat(
          '4:user', toString(length({project:String})), ':', {project:String},
          toString(length({user_id:String})), ':', {user_id:String})), 1, 16)))
    ORDER BY precedence DESC
    LIMIT 1 BY event, message_id, toDate32(timestamp)
);
