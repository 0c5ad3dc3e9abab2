import { type API, type Connection, type RecordsBatch, ResponseError } from '@platformatic/kafka';
import { isBlank } from '../../blank.ts';
import type { LogRecord } from '../../event-log.ts';
import { bufferOf, NO_BYTES } from '../partitions.ts';
import type { PartitionBatch } from '../wire.ts';
import { toKafkaFault, faultOf, type KafkaFault, UNREACHABLE } from '../faults.ts';

// Bits of a record batch's attributes.
const IS_APPEND_TIME = 0x08;
const IS_CONTROL = 0x20;

/** Sends a request to a broker. @throws KafkaFault where there is no answer. */
export async function callApi<Request extends unknown[], Answer>(
  connection: Connection,
  api: API<Request, Answer>,
  ...request: Request
): Promise<Answer> {
  try {
    return await api.async(connection, ...request);
  } catch (error) {
    const answer = answerIn<Answer>(error);
    if (answer !== undefined) return answer;
    const fault = platformaticFault(error);
    throw fault.code === UNREACHABLE ? platformaticFault(failures.get(connection) ?? fault) : fault;
  }
}

/** Why a connection failed. Its pending requests reject only with the fact that it was closed. */
const failures = new WeakMap<Connection, Error>();

/** To be called for every connection, as an `error` event without a listener ends the process. */
export function listenTo(connection: Connection): void {
  connection.on('error', (error) => failures.set(connection, error));
}

/** @throws KafkaFault */
export function expectNoError(errorCode: number, doing: string): void {
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
    records.push({ offset, appendedAtMs, key: key ?? NO_BYTES, value: value ?? NO_BYTES });
  }
  return records;
}

// The library writes a null value, as Kafka has it, which its types leave out.
const NO_VALUE = null as unknown as Buffer;

/** A record as the library takes it: of a blank one neither key nor value. The time is sent where the topic is to keep it. */
export function sentRecord({ key, value, appendedAtMs }: PartitionBatch['records'][number]) {
  const record = isBlank({ key, value }) ? { value: NO_VALUE } : { key: bufferOf(key), value: bufferOf(value) };
  return appendedAtMs === undefined ? record : { ...record, timestamp: BigInt(Math.trunc(appendedAtMs)) };
}

/** The library throws every answer that contains an error code. The rest of the answer is in the thrown error. */
function answerIn<Answer>(error: unknown): Answer | undefined {
  if (!(error instanceof ResponseError)) return undefined;
  return error['response'] as Answer | undefined;
}

export function platformaticFault(error: unknown): KafkaFault {
  return toKafkaFault(error, ({ apiCode }) => apiCode);
}
