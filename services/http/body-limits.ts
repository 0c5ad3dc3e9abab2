/** How large the body of a request may be, in bytes: a route names one of these. What is larger is answered 413. */

/** A call of ingest, and every body without a limit of its own. */
export const BODY_LIMIT_BYTES = 32_768;

/** `POST /v1/batch`. */
export const BATCH_LIMIT_BYTES = 512_000;

/** A definition may name a thousand texts of 500 letters. The work for it is bounded by numbers (questions/definition/limits.ts). */
export const DEFINITION_LIMIT_BYTES = 512_000;

/** Dead letters may be named one by one; a record may be as large as the log takes. */
export const SELECTION_LIMIT_BYTES = 1_048_576;

/** All that a project is defined by. */
export const DEFINITIONS_LIMIT_BYTES = 4_194_304;

/** A key that is signed in with. */
export const SIGN_IN_LIMIT_BYTES = 4_096;
