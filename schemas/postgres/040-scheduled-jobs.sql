-- What the service does by itself from time to time is a job, and the last of it is that job's row. A job that its process left
-- goes on in another by itself.
-- Not compatible: an older program would look for the tables that go.

-- As in the other tables whose rows are leased.
alter table jobs rename column owner to claim;
alter table jobs rename column heartbeat_at_ms to claimed_until_ms;
-- How often another process may still go on with it by itself.
alter table jobs add column restarts_left int4 not null default 0;

-- Backups whose jobs are not kept any more.
insert into jobs (id, kind, args, principal, state, result, claim, created_at_ms, started_at_ms, finished_at_ms, claimed_until_ms)
select 'job_' || substr(md5(folder || random()), 1, 20), 'backup', json_build_object('folder', folder)::text, 'service', 'done',
       result, '', finished_at_ms - (result::jsonb ->> 'took_ms')::int8, finished_at_ms - (result::jsonb ->> 'took_ms')::int8,
       finished_at_ms, 0
from backups
where finished_at_ms is not null
  and not exists (select from jobs
                  where kind = 'backup' and state = 'done' and jobs.result::jsonb ->> 'folder' = backups.folder
                    and jobs.result::jsonb ->> 'number' = backups.result::jsonb ->> 'number');

-- What version 0.2 found is without a report, and not kept.
with moved as (
    insert into jobs (id, kind, args, principal, state, result, claim, created_at_ms, started_at_ms, finished_at_ms, claimed_until_ms)
    select 'job_' || substr(md5(random()::text), 1, 20), 'verify', '{"hours":3}', 'service', 'done', report, '',
           finished_at_ms - (report::jsonb ->> 'took_ms')::int8, finished_at_ms - (report::jsonb ->> 'took_ms')::int8,
           finished_at_ms, 0
    from verifications
    where finished_at_ms is not null and report is not null
    returning id)
update verification_hours set verification = moved.id from moved where verification = 'last';

drop table backups;
drop table verifications;
