import { type ErrorCode, TidemarkError } from '../../runtime/errors.ts';
import { type ErrorParts, errorsIn, isPermanent, reasonOf } from '../../runtime/transport-faults.ts';

/** Error codes of Kafka's protocol that we act on (https://kafka.apache.org/protocol#protocol_error_codes). */
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
/** A broker and we cannot agree on TLS. */
const NO_TLS = -2;

const DENIED: ReadonlySet<number> = new Set([
  NO_TLS,
  KAFKA.TOPIC_AUTHORIZATION_FAILED,
  KAFKA.GROUP_AUTHORIZATION_FAILED,
  KAFKA.CLUSTER_AUTHORIZATION_FAILED,
  KAFKA.UNSUPPORTED_SASL_MECHANISM,
  KAFKA.SASL_AUTHENTICATION_FAILED,
]);

/** What a request came to: a protocol's code, or one of ours, below 0. */
export class KafkaFault extends Error {
  readonly code: number;

  constructor(code: number, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'KafkaFault';
    this.code = code;
  }
}

/** The fault of an outcome that names an error. */
export function faultOf(error: number, doing: string): KafkaFault {
  return new KafkaFault(error, `${doing}: error ${error} of Kafka`);
}

/** What a client's library threw as ours. @param answerOf The protocol's code in one of its errors, where it has one. */
export function toKafkaFault(error: unknown, answerOf: (one: ErrorParts) => unknown): KafkaFault {
  if (error instanceof KafkaFault) return error;
  const answer = errorsIn(error)
    .map(answerOf)
    .find((code) => typeof code === 'number');
  const code = answer ?? (isPermanent(error) ? NO_TLS : UNREACHABLE);
  return new KafkaFault(code, reasonOf(error), { cause: error });
}

/** Whether no waiting cures it. */
export function isFatal(fault: unknown): boolean {
  return fault instanceof KafkaFault && errorCodeOf(fault) !== 'LOG_UNAVAILABLE';
}

/** What stands in the way of reading, and since when. */
export interface Trouble {
  readonly fault: unknown;
  readonly sinceMs: number;
}

// A broker that dies takes its partitions with it for some seconds: nobody need hear of that.
const TROUBLE_TOLD_AFTER_MS = 10_000;

/** Whether a trouble is to be told: it does not pass, or has not for long. */
export function lasts({ fault, sinceMs }: Trouble): boolean {
  return isFatal(fault) || performance.now() - sinceMs > TROUBLE_TOLD_AFTER_MS;
}

/** Any failure of a request as one of ours; a password is in none of the libraries' texts. */
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
