-- Messages that a generation takes as of another instant than they were recorded with: JSON, see services/messages/as-of.ts.

alter table generations add column as_of text not null default '[]';
