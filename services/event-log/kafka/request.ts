/** What our requests say, whichever library sends them. */

// Below what a connection waits for an answer: the broker says by itself that replicas are too slow, shortly before we
// would give the request up.
export const PRODUCE_TIMEOUT_MS = 9_000;
export const MAX_FETCH_BYTES = 8 * 2 ** 20;
export const READ_UNCOMMITTED = 0;
export const TOPIC_RESOURCE = 2;
