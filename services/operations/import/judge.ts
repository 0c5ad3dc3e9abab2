/** Records → drafts of messages, or everything that is wrong with them: as `/v1/identify` and `/v1/track` judge. */
import { isUtf8 } from 'node:buffer';
import type { Draft } from '../../messages/draft.ts';
import type { JsonBody } from '../../messages/json.ts';
import type { Micros, Problem } from '../../messages/message.ts';
import { isObject } from '../../messages/sdk/sdk-call.ts';
import { validateSdk } from '../../messages/sdk/validate-sdk.ts';
import { parseTimestamp } from '../../messages/timestamp.ts';
import { unacceptableIn } from '../../messages/unacceptable.ts';
import { type Validated, validateIdentify, validateItem, validateTrack } from '../../messages/validate.ts';
import { mapBody } from './mapping/apply.ts';
import { isLeftOut, type Mapping } from './mapping/mapping.ts';
import { has, type RecordMembers } from './mapping/members.ts';
import { readRecord } from './mapping/objects.ts';
import type { Preset } from './presets/preset.ts';
import { CALL_LIMIT_BYTES, type RawRecord, RECORD_LIMIT_BYTES } from './record.ts';
import { readImportedTime, type TimeForm, type TimeOptions, withTime } from './times/read-time.ts';

/** What lines are that do not say their type. */
export type DefaultType = 'identify' | 'track';

export interface JudgeOptions extends TimeOptions {
  readonly type: DefaultType | undefined;
  /** Left out: a record is a call. */
  readonly mapping?: Mapping | undefined;
  /** Members that may be objects as JSON in a text. */
  readonly objects?: readonly string[];
  readonly preset?: Preset | undefined;
  /** Sources that no record has had so far: what is found in one is taken out. */
  readonly unused?: Set<string>;
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
  const { mapping, preset, objects = [] } = options;
  const read = readRecord(text, objects);
  if (!read.ok) return { judged: read };
  if (preset?.isOfSdk === true && mapping === undefined) return judgeSdkCall(read.value, read.isSuspect, options);
  const unacceptable = read.isSuspect ? unacceptableIn(read.value.exact, []) : [];
  const counted = unacceptable.filter(
    ({ path }) => mapping === undefined || !isLeftOut(memberOfPointer(path), mapping),
  );
  if (counted.length > 0) return rejection(counted);
  const prepared = preset?.prepare === undefined ? read.value : preparedBody(read.value, preset.prepare);
  return typeof prepared === 'string' ? rejection([{ path: '', message: prepared }]) : judgeRecord(prepared, options);
}

function judgeRecord(record: JsonBody, options: JudgeOptions): JudgedCall {
  const { mapping, preset, type, unused = new Set() } = options;
  for (const source of unused) if (has(record.plain, source)) unused.delete(source);
  const mapped = mapping === undefined ? { call: record, problems: [] } : mapBody(record, mapping, type);
  if (preset?.isOfSdk === true && mapped.problems.length === 0) return judgeSdkCall(mapped.call, false, options);
  const { call, problem, form: timeForm } = withTime(mapped.call, options);
  const judged = judgeCall(call, options);
  const others = problem === undefined ? mapped.problems : [...mapped.problems, problem];
  if (others.length === 0) return { judged, call: mapped.call.plain, timeForm };
  return rejection([...(judged.ok ? [] : judged.problems), ...others], mapped.call.plain);
}

/** The first member on the way of a pointer. */
function memberOfPointer(pointer: string): string {
  return pointer.split('/', 2)[1]?.replaceAll('~1', '/').replaceAll('~0', '~') ?? '';
}

/** As a call that arrives from an SDK, at the moment when the product got it. */
function judgeSdkCall(given: JsonBody, isSuspect: boolean, options: JudgeOptions): JudgedCall {
  const { timezone, type, timeFormat } = options;
  const timed = withTime(given, options);
  if (timed.problem !== undefined && timeFormat !== undefined) return rejection([timed.problem], given.plain);
  const arrivedAt = arrivalAt(given.exact, timezone);
  const body = timed.problem === undefined ? timed.call : given;
  const frame = { timezone, arrivedAt, form: 'sdk', isSuspect } as const;
  const judged = validateSdk(body, saysType(body) ? null : (type ?? null), frame);
  if (!judged.ok || judged.draft.timestamp !== null) return { judged, call: given.plain, timeForm: timed.form };
  return { judged: { ok: true, draft: { ...judged.draft, timestamp: arrivedAt } }, call: given.plain };
}

function arrivalAt(call: unknown, timezone: string): Micros | null {
  const read = isObject(call) ? readImportedTime(call['receivedAt'], { timezone }) : undefined;
  const parsed = read?.ok === true ? parseTimestamp(read.text, timezone) : undefined;
  return parsed?.ok === true ? parsed.micros : null;
}

function saysType({ plain }: JsonBody): boolean {
  return typeof plain === 'object' && plain !== null && 'type' in plain;
}

function judgeCall(call: JsonBody, { timezone, type }: JudgeOptions): Validated<Draft> {
  if (type === undefined || saysType(call)) return validateItem(call, { timezone, arrivedAt: null });
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

/** The call of a record that is longer than a call may be: it counts by what it says. */
export function bounded(judged: JudgedCall, { length }: RawRecord): JudgedCall {
  if (length <= CALL_LIMIT_BYTES || !judged.judged.ok || bytesOf(judged.judged.draft) <= CALL_LIMIT_BYTES)
    return judged;
  return rejection([{ path: '', message: `is a call of more than ${CALL_LIMIT_BYTES} bytes` }]);
}

function bytesOf(draft: Draft): number {
  const content = draft.type === 'track' ? [draft.event, draft.properties] : [draft.traits, draft.context];
  const texts = [draft.userId, draft.anonymousId, draft.messageId, ...content];
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text ?? ''), 0);
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
