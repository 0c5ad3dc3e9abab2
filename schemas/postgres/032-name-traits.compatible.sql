-- The traits that a user is called by: the first of them that is a text.

alter table projects add column name_traits text[] not null default '{name,email}';
