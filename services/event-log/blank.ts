import type { LogRecord } from './event-log.ts';

const NO_BYTES = new Uint8Array(0);

/** Whether a record was erased: it has a place and a time, and neither key nor value. The service writes none without a key. */
export function isBlank({ key, value }: Pick<LogRecord, 'key' | 'value'>): boolean {
  return key.byteLength === 0 && value.byteLength === 0;
}

export function blankRecord({ offset, appendedAtMs }: Pick<LogRecord, 'offset' | 'appendedAtMs'>): LogRecord {
  return { offset, appendedAtMs, key: NO_BYTES, value: NO_BYTES };
}

/** Those that are not blank. The array itself where none is. */
export function withoutBlank(records: readonly LogRecord[]): readonly LogRecord[] {
  return records.some(isBlank) ? records.filter((record) => !isBlank(record)) : records;
}
