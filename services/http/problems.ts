import type { Problem } from '../messages/message.ts';
import { TidemarkError, type ErrorCode } from '../runtime/errors.ts';

/** How a path words what it refuses: RFC 9457 problem documents, or `{"success": status, "message"}`. */
export type ErrorStyle = 'problem' | 'two-step';

/** Every kind of refusal, with its status and title: the one place where HTTP statuses of errors live. */
const REFUSALS = {
  'malformed-request': { status: 400, title: 'Not a valid HTTP request' },
  'unsupported-type': { status: 400, title: 'Unsupported content type' },
  'unsupported-encoding': { status: 400, title: 'Unsupported content encoding' },
  'undecodable-body': { status: 400, title: 'Undecodable body' },
  'invalid-body': { status: 400, title: 'Invalid body' },
  'invalid-parameter': { status: 400, title: 'Invalid parameter' },
  unauthorized: { status: 401, title: 'Unauthorized' },
  'origin-refused': { status: 403, title: 'Origin not allowed' },
  'not-found': { status: 404, title: 'Not found' },
  'method-not-allowed': { status: 405, title: 'Method not allowed' },
  timeout: { status: 408, title: 'Request timeout' },
  conflict: { status: 409, title: 'Conflict' },
  'in-progress': { status: 409, title: 'Not answered yet' },
  'already-done': { status: 409, title: 'Already done' },
  'precondition-failed': { status: 412, title: 'Precondition failed' },
  'too-large': { status: 413, title: 'Payload too large' },
  'key-reused': { status: 422, title: 'Idempotency-Key of another request' },
  'query-limit': { status: 422, title: 'Question past its limits' },
  'rate-limited': { status: 429, title: 'Too many requests' },
  overloaded: { status: 429, title: 'Too many requests' },
  'headers-too-large': { status: 431, title: 'Request header fields too large' },
  internal: { status: 500, title: 'Internal error' },
  unavailable: { status: 503, title: 'Unavailable' },
  'insufficient-storage': { status: 507, title: 'Insufficient storage' },
} as const satisfies Record<string, { status: number; title: string }>;

export type RefusalKind = keyof typeof REFUSALS;

/** A request refused. The style of its path decides how it is worded. */
export interface Refusal {
  readonly refused: RefusalKind;
  /** For a person: what was wrong with this request and what to do. No internals, never the key. */
  readonly detail: string;
  /** Where a body or a parameter is at fault. */
  readonly errors?: readonly Problem[];
  readonly limitBytes?: number;
  readonly retryAfterS?: number;
  /** For 405: the methods that the path has. */
  readonly allow?: string;
  /** Which failure of Tidemark it was, for programs: docs/errors.md lists the codes. */
  readonly errorCode?: ErrorCode;
  /** For 503: the ids to send the same messages again under, in the order sent; null for an item that was refused. */
  readonly messageIds?: readonly (string | null)[];
}

export interface RenderedRefusal {
  readonly status: number;
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A request whose body, path or query is wrong in these places. */
export function invalid(kind: 'invalid-body' | 'invalid-parameter', errors: readonly Problem[]): Refusal {
  return { refused: kind, detail: summaryOf(errors), errors };
}

/** Words a refusal in the style of its path. Pure. */
export function renderRefusal(refusal: Refusal, style: ErrorStyle): RenderedRefusal {
  const { status } = REFUSALS[refusal.refused];
  const twoStep = style === 'two-step';
  return {
    status,
    type: twoStep ? 'application/json' : 'application/problem+json',
    headers: headersOf(refusal, status),
    body: JSON.stringify(twoStep ? twoStepBody(refusal, status) : problemBody(refusal, status)),
  };
}

const DEFAULT_RETRY_AFTER_S = 1;

const BY_CODE: Partial<Record<ErrorCode, RefusalKind>> = {
  LOG_UNAVAILABLE: 'unavailable',
  LOG_NEWER: 'unavailable',
  STORE_UNAVAILABLE: 'unavailable',
  STORE_TIMEOUT: 'unavailable',
  BACKUP_UNAVAILABLE: 'unavailable',
  STOPPING: 'unavailable',
  WAITING_FOR_ANALYTICS: 'unavailable',
  QUERY_LIMIT: 'query-limit',
  TOO_MANY_QUESTIONS: 'overloaded',
  AUDIENCE_UNKNOWN: 'not-found',
  AUDIENCE_EXISTS: 'conflict',
  AUDIENCE_CHANGED: 'precondition-failed',
  AUDIENCE_LIMIT: 'conflict',
  AUDIENCE_CIRCLE: 'conflict',
  AUDIENCE_USED: 'conflict',
  AUDIENCE_BUSY: 'conflict',
  ENDPOINT_UNKNOWN: 'not-found',
  ENDPOINT_LIMIT: 'conflict',
  KEPT_LIMIT: 'conflict',
  DELIVERY_UNKNOWN: 'not-found',
  ENDPOINT_UNSIGNED: 'conflict',
  KAFKA_MISSING: 'conflict',
  AUDIENCE_NOT_LIVE: 'conflict',
  IDS_NOT_JOINED: 'conflict',
  PROJECT_UNKNOWN: 'not-found',
  PROJECT_NAME_DIFFERS: 'conflict',
  KEY_UNKNOWN: 'not-found',
  DEAD_LETTER_UNKNOWN: 'not-found',
  DEAD_LETTER_SETTLED: 'conflict',
  POSITION_MOVED: 'conflict',
  IMPORT_CHANGED: 'conflict',
  IMPORT_UNREADABLE: 'invalid-body',
};

const NO_STORE = 'A store that this request needs is unavailable now. Send the same request again later.';

const DETAIL: Partial<Record<ErrorCode, string>> = {
  LOG_UNAVAILABLE: 'The event log cannot take messages now. Send the same request again later.',
  LOG_NEWER: NO_STORE,
  STORE_UNAVAILABLE: NO_STORE,
  STORE_TIMEOUT: NO_STORE,
  BACKUP_UNAVAILABLE: NO_STORE,
  STOPPING: 'This process is stopping. Send the same request again.',
  TOO_MANY_QUESTIONS: 'Too many questions are being asked. Send the same request again later.',
  WAITING_FOR_ANALYTICS:
    'Analytics has lost messages that it had, and has not read all of them again. Send the same request again later.',
  AUDIENCE_UNKNOWN: 'This project has no such audience.',
  AUDIENCE_EXISTS: 'This project has an audience of this name.',
  AUDIENCE_CHANGED: 'Somebody else changed the audience since the version that If-Match names. Read it again.',
  ENDPOINT_UNKNOWN: 'This project has no such endpoint.',
  DELIVERY_UNKNOWN: 'This endpoint has no such delivery that can be sent again: they are kept for 7 days.',
  AUDIENCE_BUSY: 'The audience is being evaluated. Send the same request again later.',
};

/**
 * What a failure of ours looks like from outside. The message of an error leaves the process only for QUERY_LIMIT,
 * AUDIENCE_LIMIT, AUDIENCE_CIRCLE, AUDIENCE_USED, ENDPOINT_LIMIT, KEPT_LIMIT, ENDPOINT_UNSIGNED, KAFKA_MISSING and AUDIENCE_NOT_LIVE.
 */
export function refusalOf(error: unknown): Refusal {
  const kind = error instanceof TidemarkError ? BY_CODE[error.code] : undefined;
  if (!(error instanceof TidemarkError) || kind === undefined) {
    return { refused: 'internal', detail: 'Something went wrong on our side. The request id finds it in our logs.' };
  }
  return { refused: kind, detail: DETAIL[error.code] ?? error.message, errorCode: error.code };
}

function headersOf(refusal: Refusal, status: number): Record<string, string> {
  const headers: Record<string, string> = {};
  if (refusal.allow !== undefined) headers['Allow'] = refusal.allow;
  if (status === 401) headers['WWW-Authenticate'] = 'Bearer realm="tidemark"';
  if (status === 429 || status === 503) headers['Retry-After'] = String(refusal.retryAfterS ?? DEFAULT_RETRY_AFTER_S);
  return headers;
}

function problemBody(refusal: Refusal, status: number): object {
  return {
    type: `urn:tidemark:problem:${refusal.refused}`,
    title: REFUSALS[refusal.refused].title,
    status,
    detail: refusal.detail,
    // Some SDKs read these of a refusal, and take one without them for a failure of the network.
    code: refusal.refused,
    message: refusal.detail,
    error_code: refusal.errorCode,
    errors: refusal.errors,
    limit_bytes: refusal.limitBytes,
    message_ids: refusal.messageIds,
  };
}

function twoStepBody(refusal: Refusal, status: number): object {
  return { success: status, message: refusal.detail, message_ids: refusal.messageIds };
}

function summaryOf(errors: readonly Problem[]): string {
  const [first] = errors;
  if (first === undefined) return 'The request is not valid.';
  const more = errors.length === 1 ? '' : ` (and ${errors.length - 1} more)`;
  return `${first.path === '' ? '' : `${first.path}: `}${first.message}${more}`;
}
