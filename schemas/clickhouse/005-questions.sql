-- Common questions as views with parameters: `SELECT * FROM users_who_did(project = …, event = …, since = …, at_least = 3)`.
-- docs/clickhouse.md has examples. Each message counts once; min and max are of whole numbers, for why see `users`.

-- Who did it so often since then; times counts different messages.
CREATE OR REPLACE VIEW users_who_did AS
SELECT did.user AS user, known.internal_id AS internal_id, known.user_id AS user_id, did.times AS times,
       fromUnixTimestamp64Micro(did.first_micros, 'UTC') AS first_at,
       fromUnixTimestamp64Micro(did.last_micros, 'UTC') AS last_at
FROM
(
    SELECT user, uniqExact(message_id) AS times, min(toUnixTimestamp64Micro(timestamp)) AS first_micros,
           max(toUnixTimestamp64Micro(timestamp)) AS last_micros
    FROM event_rows FINAL
    WHERE project_id = {project:String} AND event = {event:String}
      AND day >= toDate32({since:DateTime64(6, 'UTC')}) AND timestamp >= {since:DateTime64(6, 'UTC')}
    GROUP BY user
    HAVING times >= {at_least:UInt64}
) AS did
LEFT JOIN
(
    SELECT user, max(user_rows.internal_id) AS internal_id, max(user_rows.user_id) AS user_id
    FROM user_rows
    WHERE project_id = {project:String}
    GROUP BY user
) AS known ON known.user = did.user;

-- Who has the trait, and its value. set_at: when the message that set it took place, as far as newer and older go.
CREATE OR REPLACE VIEW users_with_trait AS
SELECT traits.user AS user, known.internal_id AS internal_id, known.user_id AS user_id, traits.kind AS kind,
       traits.value AS value, traits.text AS text, traits.number AS number, traits.integer AS integer,
       fromUnixTimestamp64Micro(toInt64(bitShiftRight(traits.version, 74)) - 2208988800000000, 'UTC') AS set_at
FROM
(
    SELECT user, kind, value, text, number, integer, version
    FROM trait_rows FINAL
    WHERE project_id = {project:String} AND trait = {trait:String} AND kind != 'deleted'
) AS traits
LEFT JOIN
(
    SELECT user, max(user_rows.internal_id) AS internal_id, max(user_rows.user_id) AS user_id
    FROM user_rows
    WHERE project_id = {project:String}
    GROUP BY user
) AS known ON known.user = traits.user;

-- What one user did: of several copies of a message the first. Reads that user's rows alone; who has only the internal id
-- asks user_event_rows.
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
    LIMIT 1 BY event, message_id
);

-- The traits of one user.
CREATE OR REPLACE VIEW user_traits AS
SELECT trait, kind, value, text, number, integer,
       fromUnixTimestamp64Micro(toInt64(bitShiftRight(version, 74)) - 2208988800000000, 'UTC') AS set_at
FROM trait_rows FINAL
WHERE project_id = {project:String} AND kind != 'deleted'
  AND user = reinterpretAsUInt128(reverse(substring(SHA256(concat(
      '4:user', toString(length({project:String})), ':', {project:String},
      toString(length({user_id:String})), ':', {user_id:String})), 1, 16)));

-- How often each event was done by how many users, day by day (UTC).
CREATE OR REPLACE VIEW event_counts_by_day AS
SELECT day, event, count() AS events, uniqExact(user) AS users
FROM event_rows FINAL
WHERE project_id = {project:String} AND day >= toDate32({since:DateTime64(6, 'UTC')})
GROUP BY day, event;
