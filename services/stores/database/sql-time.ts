// SQL for the time in milliseconds since 1970, by the database's clock: the clocks of the processes may differ.

/** When the transaction began. */
export const TRANSACTION_MS = '(extract(epoch from now()) * 1000)::int8';

/** This moment, which moves on within a transaction. */
export const NOW_MS = '(extract(epoch from clock_timestamp()) * 1000)::int8';
