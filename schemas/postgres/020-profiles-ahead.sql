-- While the projector is behind, it writes profiles in several transactions before it moves its position. Up to where profiles
-- may be ahead of next_offset; null where they are not.
alter table reader_positions add column ahead_to int8;
