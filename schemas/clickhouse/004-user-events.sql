-- One message_id sent under two names of events is two events, as in event_rows: the name joins the key, so that neither
-- is merged away. As only a new column may join a key, the name is there twice; '' in rows from before.
ALTER TABLE user_event_rows ADD COLUMN IF NOT EXISTS event_name LowCardinality(String), MODIFY ORDER BY (project_id, user, timestamp, message_id, event_name);

ALTER TABLE user_event_rows_feed MODIFY QUERY
SELECT project_id, user, timestamp, message_id, event, received_at, session_id, properties_text, message_id_given,
       precedence, event AS event_name
FROM event_rows;
