-- Whole messages of dead letters that were edited, which an earlier version recorded: they may hold personal data. What was
-- edited, when and by whom stays.
alter table audit_log disable trigger audit_log_append_only;
grant update on audit_log to current_user;
update audit_log set before = null, after = null where action = 'dead-letters.edit' and before is not null;
revoke update on audit_log from current_user, public;
alter table audit_log enable trigger audit_log_append_only;
