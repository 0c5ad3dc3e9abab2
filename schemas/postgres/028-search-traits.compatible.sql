-- The traits in which the search for users looks, beside the user id.

alter table projects add column search_traits text[] not null default '{name,email}';
