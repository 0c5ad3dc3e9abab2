-- Numbers for the joins of anonymous ids in analytics. A database that is made anew continues above those of the one before.
create sequence join_numbers;

select setval('join_numbers', (extract(epoch from now()) * 1000000)::int8)::text;

-- A generation of analytics that had read anything before lacks some sightings. A replay makes one that has all.
alter table sink_plans add column lacks_sightings boolean not null default true;

alter table sink_plans alter column lacks_sightings set default false;
