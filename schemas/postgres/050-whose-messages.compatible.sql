-- Whose message a dead letter is, and of which event: null of those that were read before, and where it cannot be decoded.
alter table dead_letters
    add column user_id text,
    add column event   text;

-- Which program sent what was refused last, in its own words: null where it said nothing.
alter table refusals
    add column user_agent text;
