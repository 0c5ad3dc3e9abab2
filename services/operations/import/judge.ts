/** Records → drafts of messages, or everything that is wrong with them: as `/v1/identify` and `/v1/track` judge. */
import { isUtf8 } from 'node:buffer';
import type { Draft } from '../../messages/draft.ts';
import { parseBody } from '../../messages/json.ts';
import type { Problem } from '../../messages/message.ts';
import { type Validated, validateIdentify, validateItem, validateTrack } from '../../messages/validate.ts';
import { type RawRecord, RECORD_LIMIT_BYTES } from './record.ts';

/** What lines are that do not say their type. */
export type DefaultType = 'identify' | 'track';

export interface JudgeOptions {
  /** The project's, for a timestamp without an offset. */
  readonly timezone: string;
  readonly type: DefaultType | undefined;
}

/** Judges a text that should be the JSON of a call. */
export function judgeText(text: string, { timezone, type }: JudgeOptions): Validated<Draft> {
  const parsed = parseBody(text);
  if (!parsed.ok) return parsed;
  const { plain } = parsed.value;
  const saysType = typeof plain === 'object' && plain !== null && 'type' in plain;
  if (type === undefined || saysType) return validateItem(parsed.value, { timezone, arrivedAt: null });
  return type === 'track' ? validateTrack(parsed.value, timezone) : validateIdentify(parsed.value, timezone);
}

/** What is wrong with a record as bytes; undefined where it can be read. */
export function wrongWithBytes({ fault, bytes }: RawRecord): readonly Problem[] | undefined {
  if (fault === 'too-long') return [{ path: '', message: `is longer than ${RECORD_LIMIT_BYTES} bytes` }];
  if (fault === 'open-quote') return [{ path: '', message: 'has a quote that is not closed' }];
  return isUtf8(bytes) ? undefined : [{ path: '', message: 'is not UTF-8' }];
}

/** Whether there is nothing on the line but white space. */
export function isBlank({ bytes, fault }: RawRecord): boolean {
  return fault === undefined && bytes.every(isWhiteSpace);
}

/** Within a line. */
export function isWhiteSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}
