-- What its owners say of an audience, and by which words it is found.

alter table audiences
    add column note text not null default '',
    add column tags text[] not null default '{}';
