// SQL for the time in milliseconds since 1970. It uses the clock of the database, because those of processes may
// differ.

/** The start of the transaction. */
export const TRANSACTION_MS = '(extract(epoch from now()) * 1000)::int8';

/** The start of the statement, the same wherever the statement says it. */
export const STATEMENT_MS = '(extract(epoch from statement_timestamp()) * 1000)::int8';

/** The current time, which advances within a statement: two of them in one row may differ. */
export const NOW_MS = '(extract(epoch from clock_timestamp()) * 1000)::int8';
