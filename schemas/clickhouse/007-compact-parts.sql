-- Parts of a few files whatever is in `properties`: in a Wide part every stream of every path is two files, and events of
-- many shapes open more of them than a process may. In a Compact part a subcolumn is still read alone. Parts that are Wide
-- now become Compact when they are merged.
ALTER TABLE event_rows MODIFY SETTING min_bytes_for_wide_part = 1000000000000000000;
