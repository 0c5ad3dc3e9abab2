-- Where ids were joined or parted: the internal id of the user whose the id is, or was; '' elsewhere.
ALTER TABLE audience_changes ADD COLUMN IF NOT EXISTS person String;
