-- What one user did, by the rule of `events`: of the copies of a message on one day the first, those of other days a row each.
-- Reads that user's rows alone; who has only the internal id asks user_event_rows.
CREATE OR REPLACE VIEW user_timeline AS
SELECT timestamp, event, message_id, received_at, session_id, properties_text
FROM
(
    SELECT timestamp, event, message_id, received_at, session_id, properties_text, precedence
    FROM user_event_rows
    WHERE project_id = {project:String}
      -- The first 128 bits of the internal id: services/messages/user-key.ts.
      AND user = reinterpretAsUInt128(reverse(substring(SHA256(concat(
          '4:user', toString(length({project:String})), ':', {project:String},
          toString(length({user_id:String})), ':', {user_id:String})), 1, 16)))
    ORDER BY precedence DESC
    LIMIT 1 BY event, message_id, toDate32(timestamp)
);
