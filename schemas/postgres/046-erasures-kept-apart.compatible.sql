-- Which anonymous ids a forgotten person shared with others, by the internal ids of who is known by them alone: a restore of an
-- older backup keeps them apart too. Null in rows from before.
alter table erasures add column kept_apart text[];
