-- A key has a set of scopes instead of one. A key of the whole installation (admin) has no project.

alter table api_keys
    add column scopes        text[],
    add column name          text,                -- what its owner calls the key
    add column last_used_day date;                -- in UTC; the last day on which a request had the key

-- Until now a read key could save audiences: those that exist can still do so.
update api_keys set scopes = case scope when 'read' then array['read', 'audiences'] else array[scope] end;

-- scope stays for processes of the version before, which may read these rows until they are replaced: null of a key that
-- they do not know.
alter table api_keys
    alter column scopes set not null,
    alter column scope drop not null,
    alter column project_id drop not null,
    add constraint api_keys_scopes check (cardinality(scopes) > 0 and scopes <@ array['write', 'read', 'audiences', 'admin']),
    add constraint api_keys_admin_alone check (scopes = array['admin'] or not 'admin' = any (scopes)),
    add constraint api_keys_admin_project check ((project_id is null) = (scopes = array['admin']));
