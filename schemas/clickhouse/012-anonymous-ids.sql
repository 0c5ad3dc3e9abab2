-- The anonymous id that a message gave, beside a user id or alone: '' where it gave none, and in rows from before.
ALTER TABLE track_rows ADD COLUMN IF NOT EXISTS anonymous_id String;

ALTER TABLE identify_rows ADD COLUMN IF NOT EXISTS anonymous_id String;

ALTER TABLE user_event_rows ADD COLUMN IF NOT EXISTS anonymous_id String;

ALTER TABLE user_event_rows_of_tracks MODIFY QUERY
SELECT project_id, user, timestamp, message_id, event, received_at, session_id, properties_text, message_id_given,
       precedence, event AS event_name, anonymous_id
FROM track_rows;

CREATE OR REPLACE VIEW events AS
SELECT project_id, event, user, message_id, timestamp, received_at, session_id, source, properties, properties_text,
       log_partition, log_offset, anonymous_id
FROM track_rows FINAL;

CREATE OR REPLACE VIEW identifies AS
SELECT project_id, user, message_id, timestamp, received_at, version, log_topic, log_partition, log_offset, anonymous_id
FROM identify_rows FINAL;

-- As in 011-timeline-by-day.sql, with anonymous_id.
CREATE OR REPLACE VIEW user_timeline AS
SELECT timestamp, event, message_id, received_at, session_id, properties_text, anonymous_id
FROM
(
    SELECT timestamp, event, message_id, received_at, session_id, properties_text, anonymous_id, precedence
    FROM user_event_rows
    WHERE project_id = {project:String}
      -- The first 128 bits of the internal id: services/messages/user-key.ts.
      AND user = reinterpretAsUInt128(reverse(substring(SHA256(concat(
          '4:user', toString(length({project:String})), ':', {project:String},
          toString(length({user_id:String})), ':', {user_id:String})), 1, 16)))
    ORDER BY precedence DESC
    LIMIT 1 BY event, message_id, toDate32(timestamp)
);
