-- Messages to endpoints that tell of no change of an audience: each is kept whole until it is delivered. Endpoints that belong
-- to the installation. Not compatible: an older program would look for the people of `user.forgotten` in another column.

-- JSON: the member `data` of the message; null of changes, and of people who were forgotten once it was delivered.
alter table endpoint_deliveries rename column forgotten to notice;
update endpoint_deliveries d
set notice = '{"project_id":' || to_json(e.project_id)::text || ',"users":' || d.notice || '}'
from endpoints e
where e.id = d.endpoint_id and d.notice is not null;

-- Null: it is told of the installation.
alter table endpoints alter column project_id drop not null;

-- Of which dead letters an endpoint was told. A row is deleted once none of its reason waits.
create table endpoint_dead_letters
(
    endpoint_id text collate "C" not null references endpoints (id) on delete cascade,
    code        text collate "C" not null,       -- the reason: the code of the error; '' for an error without one
    told_at_ms  int8 not null,                   -- when the last message was made
    newest_ms   int8 not null,                   -- when the newest dead letter of which it tells was appended to the log
    primary key (endpoint_id, code)
);
