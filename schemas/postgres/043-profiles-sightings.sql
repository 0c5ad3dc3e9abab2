-- The anonymous ids that messages gave beside a user id, each with the first message that did: the first 100 of a user. They
-- take the place of the hundred seen last, since only the first are the same in whatever order messages come and say who was
-- seen with whom. Not compatible: an older program would write the times that rows had.
alter table anonymous_ids rename to sightings;

alter index anonymous_ids_by_id rename to sightings_by_id;

-- Rows from before are behind all others until a message gives the id again, and those that were dropped are missing.
alter table sightings
    add column version text collate "C" not null default 'ffffffffffffffffffffffffffffffff',
    drop column last_seen;

alter table sightings alter column version drop default;

-- So a generation that had read anything before lacks some of them. A replay makes one that has all.
alter table reader_positions add column lacks_sightings boolean not null default true;

alter table reader_positions alter column lacks_sightings set default false;
