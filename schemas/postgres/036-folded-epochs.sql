-- Epochs of live audiences that have been over for long are folded: they are deleted, and their changes count up to where the
-- next epoch that is kept does. Those that never count have been removed before. Older programs would count none of them.

alter table live_epochs add column closed_at_ms int8; -- null: it is open
update live_epochs set closed_at_ms = (extract(epoch from now()) * 1000)::int8 where not is_open;
alter table live_epochs drop column is_open;
