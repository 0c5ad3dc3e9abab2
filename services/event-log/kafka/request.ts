/** Fields of requests, the same for both libraries. */

// Below the request timeout of a connection, so that the broker itself reports that replicas are too slow.
export const PRODUCE_TIMEOUT_MS = 9_000;
export const MAX_FETCH_BYTES = 8 * 2 ** 20;
export const READ_UNCOMMITTED = 0;
export const TOPIC_RESOURCE = 2;
