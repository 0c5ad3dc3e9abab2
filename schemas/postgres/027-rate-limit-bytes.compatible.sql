-- What a project may send beside its requests a second.

alter table projects add column rate_limit_bytes int8; -- bytes of bodies a second per ingest process; null: no limit
