import { type API, type Connection, type RecordsBatch, ResponseError } from '@platformatic/kafka';
import type { LogRecord } from './event-log.ts';
import { faultOf, isTlsRefusal, KAFKA, KafkaFault, UNREACHABLE } from './kafka-faults.ts';

const NOTHING = Buffer.alloc(0);
// Of a record batch's attributes.
const IS_APPEND_TIME = 0x08;
const IS_CONTROL = 0x20;

/** Asks a broker. @throws KafkaFault where there is no answer. */
export async function ask<Request extends unknown[], Answer>(
  connection: Connection,
  api: API<Request, Answer>,
  ...request: Request
): Promise<Answer> {
  try {
    return await api.async(connection, ...request);
  } catch (error) {
    const answer = answerIn<Answer>(error);
    if (answer !== undefined) return answer;
    throw faultFrom(error);
  }
}

/** @throws KafkaFault */
export function check(errorCode: number, doing: string): void {
  if (errorCode !== 0) throw faultOf(errorCode, doing);
}

/** The records of a batch from an offset on. */
export function recordsOf(batch: RecordsBatch, first: bigint): LogRecord[] {
  const { firstOffset, firstTimestamp, maxTimestamp, attributes } = batch;
  if ((attributes & IS_CONTROL) !== 0) return [];
  const byBroker = (attributes & IS_APPEND_TIME) !== 0;
  const records: LogRecord[] = [];
  for (const { offsetDelta, timestampDelta, key, value } of batch.records) {
    const offset = firstOffset + BigInt(offsetDelta);
    if (offset < first) continue;
    const appendedAtMs = Number(byBroker ? maxTimestamp : firstTimestamp + timestampDelta);
    records.push({ offset, appendedAtMs, key: key ?? NOTHING, value: value ?? NOTHING });
  }
  return records;
}

/** The library throws an answer that names an error anywhere; what it says of the rest is in it. */
function answerIn<Answer>(error: unknown): Answer | undefined {
  if (!(error instanceof ResponseError)) return undefined;
  return error['response'] as Answer | undefined;
}

/** Its errors nest, as causes and as lists; the innermost knows. */
export function faultFrom(error: unknown): KafkaFault {
  if (error instanceof KafkaFault) return error;
  const chain = chainOf(error);
  const innermost = chain.findLast(({ message }) => message !== undefined && message !== '');
  return new KafkaFault(codeOf(chain), innermost?.message ?? String(error), { cause: error });
}

interface Thrown {
  readonly message: string;
  readonly code: unknown;
  readonly apiCode: unknown;
  readonly cause: unknown;
  readonly errors: readonly unknown[];
}

function codeOf(chain: readonly Partial<Thrown>[]): number {
  const protocol = chain.find(({ apiCode }) => typeof apiCode === 'number');
  if (typeof protocol?.apiCode === 'number') return protocol.apiCode;
  if (chain.some(({ code }) => isTlsRefusal(code))) return KAFKA.SASL_AUTHENTICATION_FAILED;
  // We do not speak TLS and the broker does, or the other way round.
  const isTls = chain.some(({ code, message }) => code === 'PLT_KFK_USER' && message?.includes('TLS'));
  return isTls ? KAFKA.SASL_AUTHENTICATION_FAILED : UNREACHABLE;
}

function chainOf(error: unknown): readonly Partial<Thrown>[] {
  if (!(error instanceof Error)) return [];
  const thrown: Partial<Thrown> = error;
  return [thrown, ...chainOf(thrown.cause), ...(thrown.errors ?? []).flatMap(chainOf)];
}
