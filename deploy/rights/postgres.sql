-- Users of few rights in the database of PROFILES_URL: docs/servers.md, "Users of few rights". To be run by a superuser, or by
-- the owner of the database who may make roles, in that database: before the first `tidemark migrate`, and after each one:
--   psql --set ON_ERROR_STOP=1 --file deploy/rights/postgres.sql 'postgres://…/DATABASE'
-- It makes users without a password, who cannot connect before they have one: alter role tidemark_sink password '…'.
-- It may be run again. What it does not list, nobody but tidemark_admin may do.

do $$
declare
  name text;
begin
  foreach name in array array['tidemark_admin', 'tidemark_ingest', 'tidemark_projector', 'tidemark_sink', 'tidemark_webhooks'] loop
    if not exists (select from pg_roles where rolname = name) then
      execute format('create role %I login', name);
    end if;
    execute format('grant connect on database %I to %I', current_database(), name);
    execute format('grant usage on schema public to %I', name);
  end loop;
  execute format('revoke all on database %I from public', current_database());
  revoke create on schema public from public;
  -- `tidemark migrate`, and an `ingest` with ADMIN=on: owns the tables, and makes the schemas of generations.
  execute format('grant create on database %I to tidemark_admin', current_database());
  grant create on schema public to tidemark_admin;
end $$;

-- What there is already becomes the owner's: an older installation had one user for all.
do $$
declare
  own record;
begin
  for own in select oid::regnamespace as name from pg_namespace
             where nspname ~ '^(profiles|analytics)_g[0-9]+$' and nspowner <> 'tidemark_admin'::regrole loop
    execute format('alter schema %s owner to tidemark_admin', own.name);
  end loop;
  -- The sequence of a column goes with its table.
  for own in select oid::regclass as name from pg_class c
             where relnamespace in (select oid from pg_namespace where nspname ~ '^(public|(profiles|analytics)_g[0-9]+)$')
               and relkind in ('r', 'S') and relowner <> 'tidemark_admin'::regrole
               and not exists (select from pg_depend d where d.objid = c.oid and d.deptype in ('a', 'i', 'e'))
             order by relkind loop
    execute format('alter table %s owner to tidemark_admin', own.name);
  end loop;
  for own in select oid::regprocedure as name from pg_proc
             where pronamespace = 'public'::regnamespace and proname = 'audit_log_refuse_change' loop
    execute format('alter function %s owner to tidemark_admin', own.name);
  end loop;
end $$;

-- Tables of generations, each in a schema of its own: those that are there, and those that replays make later.
do $$
declare
  name text;
begin
  for name in select oid::regnamespace from pg_namespace where nspname ~ '^(profiles|analytics)_g[0-9]+$' loop
    execute format('grant usage on schema %s to tidemark_ingest, tidemark_projector, tidemark_sink, tidemark_webhooks', name);
    execute format('grant select on all tables in schema %s to tidemark_ingest, tidemark_webhooks', name);
    execute format('grant select, insert, update, delete on all tables in schema %s to tidemark_projector, tidemark_sink', name);
  end loop;
end $$;
alter default privileges for role tidemark_admin grant usage on schemas
  to tidemark_ingest, tidemark_projector, tidemark_sink, tidemark_webhooks;
alter default privileges for role tidemark_admin grant select on tables to tidemark_ingest, tidemark_webhooks;
alter default privileges for role tidemark_admin grant select, insert, update, delete on tables
  to tidemark_projector, tidemark_sink;

-- The tables of the installation, each one by name: what the lines above gave of these is taken first.
do $$
declare
  own record;
  given record;
begin
  for own in select relname, relkind from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'S') loop
    execute format('revoke all on %s public.%I from tidemark_ingest, tidemark_projector, tidemark_sink, tidemark_webhooks',
      case own.relkind when 'S' then 'sequence' else 'table' end, own.relname);
  end loop;
  for given in
    select who, what, unnest(string_to_array(tables, ' ')) as name
    from (values
      -- Of every process: whether the database is of its version, what is to be read, and who is forgotten.
      ('tidemark_ingest, tidemark_projector, tidemark_sink, tidemark_webhooks', 'select',
       'migrations restores generations live_generations erasures erased_events projects'),
      -- An `ingest` with ADMIN=off: reads what keys with the scopes `read` and `audiences` may ask for …
      ('tidemark_ingest', 'select',
       'api_keys audiences audience_versions audience_evaluations live_epochs users profiles sightings join_decisions '
       'reader_positions applied_counts sink_plans dead_letters settled_dead_letters log_cuts endpoints endpoint_positions '
       'endpoint_deliveries console_sessions repeats refusals processes pins notes watches'),
      -- … and writes what they change, and what it notes of requests.
      ('tidemark_ingest', 'insert, update, delete',
       'audiences audience_versions audience_evaluations endpoints endpoint_positions endpoint_deliveries console_sessions '
       'repeats refusals processes pins notes watches'),
      ('tidemark_ingest', 'insert', 'audit_log'),
      ('tidemark_ingest', 'update (last_used_day, awaits_showing)', 'api_keys'),
      ('tidemark_ingest, tidemark_projector', 'update (on_log, log_revision)', 'projects'),
      ('tidemark_ingest, tidemark_projector', 'update (is_on_log)', 'erasures'),
      -- Both readers: their positions, and dead letters. A generation is locked while they write into it.
      ('tidemark_projector, tidemark_sink', 'update (caught_up_at_ms, messages)', 'generations'),
      ('tidemark_projector, tidemark_sink', 'select', 'blanked jobs store_sizes log_cuts'),
      ('tidemark_projector, tidemark_sink', 'select, insert, update, delete',
       'reader_positions applied processes dead_letters settled_dead_letters'),
      ('tidemark_projector', 'select, insert, update, delete', 'users profiles applied_counts sightings'),
      ('tidemark_sink', 'select', 'users profiles applied_counts sightings join_decisions'),
      -- The sink also evaluates audiences and watches, keeps some of them live, sends webhooks and verifies.
      ('tidemark_sink', 'select, insert, update, delete',
       'sink_plans audiences audience_versions audience_evaluations live_epochs live_touches endpoints endpoint_positions '
       'endpoint_deliveries endpoint_dead_letters jobs verification_hours watches'),
      ('tidemark_sink', 'usage', 'join_numbers'),
      -- `webhooks`: reads what it sends, and notes what it sent.
      ('tidemark_webhooks', 'select', 'audiences audience_evaluations live_epochs users profiles sightings join_decisions'),
      ('tidemark_webhooks', 'select, update', 'endpoints'),
      ('tidemark_webhooks', 'select, insert, update, delete', 'endpoint_positions endpoint_deliveries processes')
    ) as rights (who, what, tables)
  loop
    if to_regclass('public.' || given.name) is not null then
      execute format('grant %s on %s public.%I to %s', given.what,
        case when given.what = 'usage' then 'sequence' else 'table' end, given.name, given.who);
    end if;
  end loop;
end $$;
