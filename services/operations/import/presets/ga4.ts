import { shortMessageId } from '../../../messages/message-id.ts';
import { isObject } from '../../../messages/sdk/sdk-call.ts';
import { MAX_DEPTH } from '../../../messages/unacceptable.ts';
import type { Rule } from '../mapping/mapping.ts';
import type { RecordMembers } from '../mapping/members.ts';
import { eventsBy, type Preset, usersBy } from './preset.ts';

/** Events exported from BigQuery as JSON. https://support.google.com/analytics/answer/7029846 */
const WHO_AND_WHEN: readonly Rule[] = [
  { to: 'user_id', from: ['user_id'] },
  { to: 'anonymousId', from: ['user_pseudo_id'] },
  { to: 'timestamp', from: ['event_timestamp'] },
  { to: 'message_id', from: ['message_id'] },
];

const SIGNS = ['event_name', 'event_timestamp', 'event_params', 'user_pseudo_id'];

export const ga4: Preset = {
  name: 'ga4',
  format: 'ndjson',
  signs: SIGNS,
  mapping: eventsBy([
    ...WHO_AND_WHEN,
    { to: 'event', from: ['event_name'] },
    { to: 'properties', from: ['event_params'] },
    { to: null, from: ['user_properties'] },
  ]),
  prepare: (record) => prepared(record, 'event'),
};

/** The same files: the properties of the user that each event carries. */
export const ga4Users: Preset = {
  name: 'ga4-users',
  format: 'ndjson',
  signs: SIGNS,
  mapping: usersBy([...WHO_AND_WHEN, { to: 'traits', from: ['user_properties'] }]),
  prepare: (record) => prepared(record, 'user'),
};

/**
 * What was sent of an event, which tells it from others: there is no id of it, and all events of a bundle have one time.
 * What Google adds later, such as the source of the traffic, is not the same in every export.
 */
const IDENTITY = [
  'stream_id',
  'user_pseudo_id',
  'user_id',
  'event_timestamp',
  'event_name',
  'event_bundle_sequence_id',
  'batch_event_index',
  'batch_page_id',
  'batch_ordering_id',
  'event_params',
  'user_properties',
  'items',
  'ecommerce',
];

function prepared(record: RecordMembers, what: string): RecordMembers {
  const identity = IDENTITY.map((name) => comparable(record[name]) ?? null);
  return {
    ...withProducts(record),
    message_id: shortMessageId(JSON.stringify(['ga4', what, ...identity])),
    user_properties: objectOf(record['user_properties']),
  };
}

/** Items and their totals are properties beside the parameters. Where a parameter has that name, they go to the context. */
function withProducts(record: RecordMembers): RecordMembers {
  const params = objectOf(record['event_params'] ?? []);
  if (!isObject(params)) return record;
  const free = ['items', 'ecommerce'].filter((name) => isObjectOrList(record[name]) && !Object.hasOwn(params, name));
  const rest = Object.entries(record).filter(([name]) => !free.includes(name));
  const products = Object.fromEntries(free.map((name) => [name, record[name]]));
  return { ...Object.fromEntries(rest), event_params: { ...params, ...products } };
}

function isObjectOrList(value: unknown): boolean {
  return isObject(value) || Array.isArray(value);
}

/**
 * The same for the same event, however it was exported: whole numbers are numbers or texts, what is null or empty may be
 * left out, and keys and parameters are in any order.
 */
function comparable(value: unknown, depth = 0): unknown {
  // Deeper, a line is refused anyway.
  if (depth > MAX_DEPTH) return undefined;
  if (typeof value === 'number' || JSON.isRawJSON(value)) return JSON.stringify(value);
  if (Array.isArray(value)) {
    const members = value.map((member) => comparable(member, depth + 1));
    const isOfKeys = value.length > 0 && value.every((member) => isObject(member) && Object.hasOwn(member, 'key'));
    return members.length === 0 ? undefined : isOfKeys ? members.map((each) => JSON.stringify(each)).sort() : members;
  }
  if (!isObject(value)) return value ?? undefined;
  const entries = Object.entries(value).map(([name, member]) => [name, comparable(member, depth + 1)] as const);
  const kept = entries.filter(([, member]) => member !== undefined).sort(([one], [other]) => (one < other ? -1 : 1));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** A list of keys and values as an object. What is no such list is left as it is. */
function objectOf(list: unknown): unknown {
  if (!Array.isArray(list)) return list;
  const entries = list.filter(isObject).map(({ key, value }) => [String(key), valueOf(value)] as const);
  return Object.fromEntries(entries);
}

function valueOf(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { string_value: text, int_value: whole, float_value: float, double_value: double } = value;
  return text ?? (typeof whole === 'string' ? wholeNumber(whole) : whole) ?? float ?? double ?? null;
}

function wholeNumber(text: string): unknown {
  if (!/^-?(?:0|[1-9]\d*)$/.test(text)) return text;
  return Number.isSafeInteger(Number(text)) ? Number(text) : JSON.rawJSON(text);
}
