/** Records → drafts of messages, or everything that is wrong with them: as `/v1/identify` and `/v1/track` judge. */
import { isUtf8 } from 'node:buffer';
import type { Draft } from '../../messages/draft.ts';
import { type JsonBody, parseBody } from '../../messages/json.ts';
import type { Problem } from '../../messages/message.ts';
import { isObject } from '../../messages/sdk/sdk-call.ts';
import { type Validated, validateIdentify, validateItem, validateTrack } from '../../messages/validate.ts';
import { mapBody } from './mapping/apply.ts';
import type { Mapping } from './mapping/mapping.ts';
import type { RecordMembers } from './mapping/members.ts';
import type { Preset } from './presets/preset.ts';
import { type RawRecord, RECORD_LIMIT_BYTES } from './record.ts';
import { type TimeForm, type TimeOptions, withTime } from './times/read-time.ts';

/** What lines are that do not say their type. */
export type DefaultType = 'identify' | 'track';

export interface JudgeOptions extends TimeOptions {
  readonly type: DefaultType | undefined;
  /** Left out: a record is a call. */
  readonly mapping?: Mapping | undefined;
  readonly prepare?: Preset['prepare'];
}

export interface JudgedCall {
  readonly judged: Validated<Draft>;
  /** The call that was judged, for those who want to show it. */
  readonly call?: unknown;
  /** What its time was taken for. */
  readonly timeForm?: TimeForm | undefined;
}

/** Judges a text that should be the JSON of a record. */
export function judgeText(text: string, options: JudgeOptions): JudgedCall {
  const parsed = parseBody(text);
  if (!parsed.ok) return { judged: parsed };
  const prepared = options.prepare === undefined ? parsed.value : preparedBody(parsed.value, options.prepare);
  if (typeof prepared === 'string') return rejection([{ path: '', message: prepared }]);
  const { mapping, type } = options;
  const mapped = mapping === undefined ? { call: prepared, problems: [] } : mapBody(prepared, mapping, type);
  const { call, problem, form: timeForm } = withTime(mapped.call, options);
  const judged = judgeCall(call, options);
  const others = problem === undefined ? mapped.problems : [...mapped.problems, problem];
  if (others.length === 0) return { judged, call: mapped.call.plain, timeForm };
  return rejection([...(judged.ok ? [] : judged.problems), ...others], mapped.call.plain);
}

function judgeCall(call: JsonBody, { timezone, type }: JudgeOptions): Validated<Draft> {
  const saysType = typeof call.plain === 'object' && call.plain !== null && 'type' in call.plain;
  if (type === undefined || saysType) return validateItem(call, { timezone, arrivedAt: null });
  return type === 'track' ? validateTrack(call, timezone) : validateIdentify(call, timezone);
}

function preparedBody({ plain, exact }: JsonBody, change: NonNullable<Preset['prepare']>): JsonBody | string {
  if (!isObject(plain)) return { plain, exact };
  const changed = change(plain);
  if (typeof changed === 'string' || plain === exact) return typeof changed === 'string' ? changed : both(changed);
  return { plain: changed, exact: change(exact as RecordMembers) };
}

function both(value: unknown): JsonBody {
  return { plain: value, exact: value };
}

export function rejection(problems: readonly Problem[], call?: unknown): JudgedCall {
  return { judged: { ok: false, problems }, call };
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
