-- For finding users by the beginning of their user id. A user id never changes, so that an update stays within its page
-- (HOT) still.
create index users_by_user_id on users (project_id, user_id) where user_id is not null;
