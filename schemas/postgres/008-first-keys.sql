-- Random keys that the first start made and nobody has seen yet: the process may die before it prints them. The next start
-- revokes them and makes others. Keys of before this migration were shown.
alter table api_keys
    add column awaits_showing boolean not null default false;
