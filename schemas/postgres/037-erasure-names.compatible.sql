-- By which ids a person who is being forgotten is looked for in files and texts that nothing but these ids joins to the person.
alter table erasures add column names text[] collate "C"; -- null once the erasure is done, or where none is known
