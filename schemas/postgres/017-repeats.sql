-- Requests that were sent with an Idempotency-Key, and what they were answered: so that sent again they are answered the same,
-- and nothing is done twice. Rows are deleted after 24 hours, and beyond 10,000 of one key. No secret is ever in an answer here.
create table repeats
(
    name        text primary key,                 -- SHA-256, in hex, of who sent it, to which project, and the Idempotency-Key
    principal   text not null,                    -- the id of a key, or local
    fingerprint text not null,                    -- SHA-256, in hex, of method, path, parameters and body
    made_at_ms  int8 not null,
    status      int4,                             -- null: not answered yet, or never
    headers     text,                             -- JSON
    body        text,                             -- null: not to be shown again
    made        text                              -- the id or path of what was made
);

create index repeats_by_principal on repeats (principal, made_at_ms);
create index repeats_by_time on repeats (made_at_ms);
