-- Who changed what: one row a change, only ever added. Not in the log, never touched by replay, to be backed up.
create table audit_log
(
    id             int8 generated always as identity primary key,
    at_us          int8 not null,                 -- microseconds since 1970
    principal_id   text collate "C" not null,     -- id of the key; 'local' on the Unix socket
    principal_name text,                          -- name of the key, or the user that the command line says
    source         text,                          -- address that the request came from; null on the Unix socket
    action         text collate "C" not null,     -- what was done, as audience.change
    project_id     text collate "C",              -- no reference: the row outlives the project
    object         text collate "C",              -- id of what was changed
    before         text,                          -- JSON, as text to keep every digit; null where there was nothing
    after          text,
    request_id     text not null
);

create index audit_log_by_project on audit_log (project_id, id);
create index audit_log_by_principal on audit_log (principal_id, id);

-- Also from the owner, who could grant it again. A superuser needs no grants: the trigger stops that one too.
revoke update, delete, truncate on audit_log from current_user, public;

create function audit_log_refuse_change() returns trigger language plpgsql as '
begin
    raise exception ''audit_log is append-only'';
end';

create trigger audit_log_append_only
    before update or delete or truncate on audit_log
    for each statement execute function audit_log_refuse_change();
