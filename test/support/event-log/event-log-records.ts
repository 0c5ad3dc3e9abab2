import type { NewRecord } from '../../../services/event-log/event-log.ts';

export function record(topic: string, key: string, value: string): NewRecord {
  return { topic, key: Buffer.from(key), value: Buffer.from(value) };
}

/** Records of different keys with values that name them. */
export function records(topic: string, count: number, prefix = 'v'): readonly NewRecord[] {
  return Array.from({ length: count }, (_, i) => record(topic, `key-${i}`, `${prefix}-${i}`));
}
