import { type ErrorCode, TidemarkError } from '../../runtime/errors.ts';
import { type ErrorParts, errorsIn, isPermanent, reasonOf } from '../../runtime/transport-faults.ts';

/** Error codes of Kafka's protocol that are handled here (https://kafka.apache.org/protocol#protocol_error_codes). */
export const KAFKA = {
  OFFSET_OUT_OF_RANGE: 1,
  UNKNOWN_TOPIC_OR_PARTITION: 3,
  LEADER_NOT_AVAILABLE: 5,
  REQUEST_TIMED_OUT: 7,
  MESSAGE_TOO_LARGE: 10,
  COORDINATOR_LOAD_IN_PROGRESS: 14,
  COORDINATOR_NOT_AVAILABLE: 15,
  NOT_COORDINATOR: 16,
  RECORD_LIST_TOO_LARGE: 18,
  ILLEGAL_GENERATION: 22,
  UNKNOWN_MEMBER_ID: 25,
  REBALANCE_IN_PROGRESS: 27,
  TOPIC_AUTHORIZATION_FAILED: 29,
  GROUP_AUTHORIZATION_FAILED: 30,
  CLUSTER_AUTHORIZATION_FAILED: 31,
  UNSUPPORTED_SASL_MECHANISM: 33,
  UNSUPPORTED_VERSION: 35,
  TOPIC_ALREADY_EXISTS: 36,
  INVALID_REPLICATION_FACTOR: 38,
  SASL_AUTHENTICATION_FAILED: 58,
  MEMBER_ID_REQUIRED: 79,
} as const;

/** No broker answered. */
export const UNREACHABLE = -1;
/** TLS with the broker is impossible. */
const NO_TLS = -2;

const DENIED: ReadonlySet<number> = new Set([
  NO_TLS,
  KAFKA.TOPIC_AUTHORIZATION_FAILED,
  KAFKA.GROUP_AUTHORIZATION_FAILED,
  KAFKA.CLUSTER_AUTHORIZATION_FAILED,
  KAFKA.UNSUPPORTED_SASL_MECHANISM,
  KAFKA.SASL_AUTHENTICATION_FAILED,
]);

/** A failed request. Its code is one of Kafka's protocol, or one of the two above. */
export class KafkaFault extends Error {
  readonly code: number;

  constructor(code: number, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'KafkaFault';
    this.code = code;
  }
}

/** The fault for an error code in an answer. */
export function faultOf(error: number, doing: string): KafkaFault {
  return new KafkaFault(error, `${doing}: error ${error} of Kafka`);
}

/**
 * An error of a client library as a KafkaFault.
 *
 * @param answerOf Returns the protocol's code in one of its errors, if it has one.
 */
export function toKafkaFault(error: unknown, answerOf: (one: ErrorParts) => unknown): KafkaFault {
  const errors = errorsIn(error);
  // What this side threw into the library.
  const ours = errors.find((one) => one instanceof KafkaFault);
  if (ours !== undefined) return ours;
  const answer = errors.map(answerOf).find((code) => typeof code === 'number');
  const code = answer ?? (isPermanent(error) ? NO_TLS : UNREACHABLE);
  return new KafkaFault(code, reasonOf(error), { cause: error });
}

/** Whether it is not retryable. */
export function isFatal(fault: unknown): boolean {
  return fault instanceof KafkaFault && errorCodeOf(fault) !== 'LOG_UNAVAILABLE';
}

/** What prevents reading, and since when. */
export interface Trouble {
  readonly fault: unknown;
  readonly sinceMs: number;
}

// When a broker fails, its partitions are unavailable for some seconds. That is not reported.
const TROUBLE_REPORTED_AFTER_MS = 10_000;

/** Whether a trouble is reported: it is not retryable, or has lasted too long. */
export function lasts({ fault, sinceMs }: Trouble): boolean {
  return isFatal(fault) || performance.now() - sinceMs > TROUBLE_REPORTED_AFTER_MS;
}

/** Any failure of a request as a TidemarkError. No text of the libraries contains a password. */
export function failureOf(error: unknown, doing: string): TidemarkError {
  if (error instanceof TidemarkError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  const code = error instanceof KafkaFault ? errorCodeOf(error) : 'LOG_UNAVAILABLE';
  return new TidemarkError(code, `Kafka failed ${doing}: ${reason}`, { cause: error });
}

function errorCodeOf({ code }: KafkaFault): ErrorCode {
  if (DENIED.has(code)) return 'SERVER_DENIED';
  return code === KAFKA.UNSUPPORTED_VERSION ? 'SERVER_TOO_OLD' : 'LOG_UNAVAILABLE';
}
