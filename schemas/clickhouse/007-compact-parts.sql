-- Parts of a few files whatever is in `properties`: in a Wide part every stream of every path is two files, and events of
-- many shapes open more of them than a process may. In a Compact part a subcolumn is still read alone, at about twice the
-- processor time of a scan; so beyond 1 GiB (uncompressed, some 2.5 million events) parts are Wide all the same.
ALTER TABLE event_rows MODIFY SETTING min_bytes_for_wide_part = 1073741824;
