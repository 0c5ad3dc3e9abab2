import { shortMessageId } from '../../../messages/message-id.ts';
import { isObject } from '../../../messages/sdk/sdk-call.ts';
import type { Rule } from '../mapping/mapping.ts';
import type { RecordMembers } from '../mapping/members.ts';
import type { Preset } from './preset.ts';

/** https://support.google.com/analytics/answer/7029846 */
const WHO_AND_WHEN: readonly Rule[] = [
  { to: 'user_id', from: ['user_id'] },
  { to: 'anonymousId', from: ['user_pseudo_id'] },
  { to: 'timestamp', from: ['event_timestamp'] },
  { to: 'message_id', from: ['message_id'] },
];

const SIGNS = ['event_name', 'event_timestamp', 'event_params', 'user_pseudo_id'];

export const ga4: Preset = {
  name: 'ga4',
  title: 'Google Analytics 4: events exported from BigQuery as JSON',
  format: 'ndjson',
  signs: SIGNS,
  mapping: {
    rules: [
      ...WHO_AND_WHEN,
      { to: 'event', from: ['event_name'] },
      { to: 'properties', from: ['event_params'] },
      { to: 'properties.items', from: ['items'] },
      { to: 'properties.ecommerce', from: ['ecommerce'] },
      { to: null, from: ['user_properties'] },
    ],
    constants: { type: 'track' },
    rest: 'context',
  },
  prepare: (record) => prepared(record, 'event'),
};

/** The same files: the properties of the user that each event carries. */
export const ga4Users: Preset = {
  name: 'ga4-users',
  title: 'Google Analytics 4: properties of users, from the events',
  format: 'ndjson',
  signs: SIGNS,
  mapping: {
    rules: [...WHO_AND_WHEN, { to: 'traits', from: ['user_properties'] }],
    constants: { type: 'identify' },
    rest: 'nowhere',
  },
  prepare: (record) => prepared(record, 'user'),
};

/** What tells one event from another: there is no id of it. */
const IDENTITY = [
  'user_pseudo_id',
  'event_timestamp',
  'event_name',
  'event_bundle_sequence_id',
  'batch_event_index',
  'batch_page_id',
  'batch_ordering_id',
];

function prepared(record: RecordMembers, what: string): RecordMembers {
  const identity = IDENTITY.map((name) => String(digitsOf(record[name])));
  return {
    ...record,
    message_id: shortMessageId(JSON.stringify(['ga4', what, ...identity])),
    event_params: objectOf(record['event_params']),
    user_properties: objectOf(record['user_properties']),
  };
}

/** BigQuery writes whole numbers as texts: both are the same event. */
function digitsOf(value: unknown): unknown {
  return JSON.isRawJSON(value) ? JSON.stringify(value) : value;
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
