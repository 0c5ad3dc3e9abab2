-- Who is signed in to the web console. The cookie's text is not here: only its SHA-256, in hex. Whether the key of a
-- session is still valid is asked of api_keys each time.
create table console_sessions
(
    sha256          text primary key,
    key_id          text not null,
    project_id      text,                         -- null: of an admin key, which belongs to no project
    made_at_ms      int8 not null,
    last_used_at_ms int8 not null,                -- up to a minute late
    expires_at_ms   int8 not null                 -- however much it is used
);
