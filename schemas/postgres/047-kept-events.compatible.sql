-- For how many months a project keeps events, by the event's own time; null for ever.
alter table projects add column keep_events_months int4 check (keep_events_months between 1 and 1200);

-- The instant before which events are deleted, in microseconds since 1970. It never moves back, so that a replay does not bring
-- back what was deleted; null where none ever was.
alter table projects add column events_from_us int8;

-- The same once analytics no longer has them.
alter table projects add column events_gone_us int8;
