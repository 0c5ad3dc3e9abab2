-- By which alone the user was known then: '' where a user id or the internal id was, and in rows from before.
ALTER TABLE audience_changes ADD COLUMN IF NOT EXISTS anonymous_id String;
