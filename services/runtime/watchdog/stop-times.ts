/**
 * When a process that is told to stop ends what. One follows the other, and together they take less than the 14 s after which
 * the watchdog ends the process.
 */

/** From the signal on, for requests that were accepted to be answered. */
export const REQUESTS_END_AFTER_MS = 8_000;
/** From the signal on, until stores on servers are closed, whoever still waits for one. */
export const SERVERS_LEFT_AFTER_MS = 8_500;
/** From the closing of such a store on, for what is under way, before it is ended. */
export const GOODBYE_MS = 2_000;
