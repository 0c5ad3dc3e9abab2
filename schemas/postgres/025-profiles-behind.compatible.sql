-- Analytics was found to have less than it had, and its position was set back. Until the position has come to behind_until, the end
-- that the log had then, who is in an audience cannot be told.
alter table sink_plans add column behind_until int8;
