/** What was wrong with a message that was rejected, where in its body, and the body as it should be. Pure. */
import { isObject, isRawNumber, type Json, jsonText } from '../api/json.ts';
import type { RefusalGroup } from '../api/types.ts';
import { memberOf, PROBLEMS, saying } from '../parts/loading/problems.ts';
import { applyEdit, type Path, pathTo, valueAt } from './builder/json-edit.ts';
import { jsonIn, rangeOf } from './builder/json-text.ts';

type Rejected = Pick<RefusalGroup, 'code' | 'pointer' | 'message' | 'example'>;

/** `traits must be an object` */
export function whatIsWrong({ code, pointer, message }: Rejected): string {
  const member = memberOf(pointer);
  if (member !== '') return `${member} ${saying(message)}`;
  if (message.startsWith('is not JSON')) return 'The body is not JSON';
  return PROBLEMS[code]?.what ?? message;
}

/** What its sender does about it. */
export function remedyOf({ code, pointer, message }: Rejected): string {
  const name = pointer.split('/').at(-1) ?? '';
  if (code === 'invalid-body' && message.startsWith('is not JSON'))
    return 'Send one JSON object, with every name and text in double quotes, and no comma behind the last.';
  if (code === 'invalid-body' && saying(message).startsWith('must be a text'))
    return `Send ${memberOf(pointer)} as a text, in double quotes.`;
  const byName = code === 'invalid-body' || code === 'adjusted' ? BY_NAME[name] : undefined;
  return byName ?? PROBLEMS[code]?.todo ?? message;
}

const USER =
  'Say whose it is: user_id for a known user, or anonymous_id for a visitor (userId and anonymousId in a batch).';

/** By the member that is at fault. */
const BY_NAME: Readonly<Record<string, string>> = {
  user_id: USER,
  userId: USER,
  anonymous_id: USER,
  anonymousId: USER,
  event: 'Name the event with a text, such as "Order Completed".',
  type: 'Say what each message is: track, identify, page, screen, group or alias.',
  traits: 'Send traits as an object, such as {"plan": "pro"}.',
  properties: 'Send properties as an object, such as {"total": 129.9}.',
  timestamp: 'Write the time as 2026-11-20T10:15:00Z, or leave it out for now.',
  batch: 'Send a list of messages in batch, each with its type.',
};

/** The parts of the example: before what is at fault, that itself, and behind it. */
export function markedParts({ pointer, message, example }: Rejected): readonly [string, string, string] {
  const text = example ?? '';
  const [, position] = /position (\d+)/.exec(message) ?? [];
  if (pointer === '' && position === undefined) return [text, '', ''];
  const [start, end] = position === undefined ? rangeOf(text, keysIn(pointer)) : [+position, +position + 1];
  return [text.slice(0, start), text.slice(start, end), text.slice(end)];
}

/** The example is an item of a batch by itself, where the pointer leads into one. */
function ownPointer(pointer: string): string {
  return pointer.replace(/^\/batch\/(?:\*|\d+)(?=\/)/, '');
}

/** As far as it is known: which member of a list it was is not. */
function keysIn(pointer: string): Path {
  const keys = pathTo(undefined, ownPointer(pointer));
  return keys.slice(0, keys.includes('*') ? keys.indexOf('*') : keys.length);
}

/** The body of a request with the mistake corrected; undefined where it is not plain what was meant. */
export function correctedBody(rejected: Rejected): string | undefined {
  const { code, pointer, example } = rejected;
  const read = jsonIn(example ?? '');
  if (code !== 'invalid-body' || !isObject(read)) return undefined;
  const body = corrected(read, pathTo(read, ownPointer(pointer)), saying(rejected.message));
  if (body === undefined) return undefined;
  return jsonText(ownPointer(pointer) === pointer ? body : { batch: [body] });
}

function corrected(body: Json, at: Path, fault: string): Json | undefined {
  const name = at.at(-1);
  const value = valueAt(body, at);
  if (value === undefined) return withVisitor(body, at);
  const isText = name === 'timestamp' || fault.startsWith('must be a text');
  const other = fault.startsWith('must be an object') ? objectIn(value) : isText ? asText(value, name) : undefined;
  return other === undefined ? undefined : applyEdit(body, { at, value: other });
}

/** An object that was sent as its text. */
function objectIn(value: Json): Json | undefined {
  const read = typeof value === 'string' ? jsonIn(value) : undefined;
  return isObject(read) ? read : undefined;
}

/** Seconds or milliseconds since 1970. */
const IS_EPOCH = /^\d{10}(?:\d{3})?$/;

/** A text that was sent as a number; of a time, seconds or milliseconds since 1970. */
function asText(value: Json, name: string | number | undefined): Json | undefined {
  const digits = isRawNumber(value) ? value.rawJSON : undefined;
  if (name !== 'timestamp') return digits;
  const text = digits ?? (typeof value === 'string' ? value : '');
  return IS_EPOCH.test(text) ? new Date(Number(text.padEnd(13, '0'))).toISOString() : undefined;
}

/** A batch is of the form of SDKs, which spell the id of a visitor in one word. */
function withVisitor(body: Json, at: Path): Json | undefined {
  const visitor = valueAt(body, ['anonymous_id']);
  if (at.at(-1) !== 'user_id' || at.length !== 1 || typeof visitor !== 'string') return undefined;
  const rest = applyEdit(body, { at: ['anonymous_id'], value: undefined });
  return applyEdit(rest, { at: ['anonymousId'], value: visitor });
}
