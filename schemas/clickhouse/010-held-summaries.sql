-- Every insert notes the ranges that it held. From time to time what was noted long ago is summed up in a row of its own, and
-- deleted when that row is as old.
ALTER TABLE held_ranges ADD COLUMN IF NOT EXISTS is_summary Bool DEFAULT false;
