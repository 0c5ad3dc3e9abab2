-- A generation of analytics that had read anything before lacks some sightings. A replay makes one that has all.
alter table sink_plans add column lacks_sightings boolean not null default true;

alter table sink_plans alter column lacks_sightings set default false;
