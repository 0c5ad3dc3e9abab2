-- Whether an anonymous id that was seen with one user alone counts as that user, in every answer.
alter table projects add column join_ids boolean not null default false;

-- Whether a project may have messages from before there were sightings: then it takes generations that have all of them.
alter table projects add column began_before_sightings boolean not null default true;

alter table projects alter column began_before_sightings set default false;

-- Numbers for the joins of anonymous ids in analytics. A database that is made anew continues above those of the one before.
create sequence join_numbers;

select setval('join_numbers', (extract(epoch from now()) * 1000000)::int8)::text;

-- What an operator said of an anonymous id, or what a forgotten person leaves behind: it beats the rule.
create table join_decisions
(
    project_id    text   not null collate "C",
    anonymous_key text   not null collate "C", -- the internal id of who is known by the anonymous id alone
    anonymous_id  text collate "C",            -- null where a person was forgotten
    says          text   not null check (says in ('join', 'apart', 'rule')),
    person_key    text collate "C",            -- the internal id of the user whose it is
    number        int8   not null,             -- of join_numbers: a later decision has a higher one
    decided_at_ms int8   not null,
    decided_by    text   not null,
    primary key (project_id, anonymous_key),
    check ((says = 'join') = (person_key is not null))
);

create index join_decisions_by_person on join_decisions (project_id, person_key) where person_key is not null;

create index join_decisions_by_number on join_decisions (number);
