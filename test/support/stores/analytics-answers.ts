import { userKeyOf } from '../../../services/messages/user-key.ts';
import { PROJECT } from '../http/reading-server.ts';

const SOME = [['a'.repeat(64), '', 'cookie']];
const COUNTS = { from_count: '1', to_count: '2', entering: '1', leaving: '0', staying: '1' };
const COMPARED = { ...COUNTS, entering_sample: SOME, leaving_sample: [], staying_sample: SOME };
const CATALOG_ROW = { name: 'Ran', times: '2', first: '1000000', last: '2000000', types: [['e', '2']] };

const KNOWN = { user: '1', user_id: 'ada', internal_id: 'a'.repeat(64), anonymous_id: '' };
const TIMES = { occurred: '0', received: '0', precedence: '1' };
const EVENT_ROW = {
  ...KNOWN,
  ...TIMES,
  message_id: 'm1',
  event: 'Ran',
  session_id: '',
  properties_text: '{}',
  size: '2',
};
const COUNTED = {
  bucket: 0,
  series: 0,
  hash: '7',
  value: 'spro',
  buckets: [0],
  counts: ['2'],
  millionths: '1500000',
  others: '0',
  percentile: 1.5,
};

type Rows = readonly Readonly<Record<string, unknown>>[];

const IDENTIFY = { version: '5', type: 'identify', message_id: 'm', occurred: '1', received: '2', anonymous_id: '' };
const TRAIT = { user: '1', version: '5', trait: 'plan', kind: 'string', value: '"pro"', digits: '' };

const MESSAGE = {
  ...EVENT_ROW,
  type: 'track',
  user_number: '5',
  topic: 'tidemark.track',
  log_partition: 0,
  log_offset: '0',
  version: '0',
};

/** A statement of this form → its rows; the first form counts. */
const ANSWERS: readonly (readonly [form: RegExp, rows: Rows])[] = [
  [/^SELECT properties_text/, [{ properties_text: '{"total":1e400}' }]],
  [/^SELECT is_event/, [CATALOG_ROW, { ...CATALOG_ROW, name: 'total', types: [['d', '2']] }]],
  [/^SELECT trait AS name/, [{ ...CATALOG_ROW, types: [['string', '2']], examples: ['"pro"'] }]],
  [/^SELECT (?:count\(\) AS times|event AS name)/, [CATALOG_ROW]],
  [/^EXPLAIN ESTIMATE/, [{ table: 'track_rows', parts: '1', rows: '2', marks: '1' }]],
  [/^EXPLAIN/, [{ explain: 'ReadFromMergeTree' }]],
  [/sumForEach/, [{ value: 'spro', size: '1', reached: ['2', '1'], total: ['2', '1'] }]],
  [/OVER \(\) AS total/, [{ user_number: '5', at: '1000000', total: '1' }]],
  [/AS user_number, max\(/, [{ ...KNOWN, user_number: '5', first: '1000000', last: '2000000' }]],
  [/^SELECT \* FROM \(SELECT 'track'/, [MESSAGE]],
  [/FROM user_track_rows|FROM audience_/, []],
  [/AS user_number FROM trait_rows/, [{ user_number: '5' }]],
  [/max\(internal_id\)/, [{ internal_id: userKeyOf(PROJECT.id, 'ada') }]],
  [/AS newer/, [{ version: '5', bytes: '5', newer: '0' }]],
  [/sum\(length\(rows.trait/, [{ version: '5', chars: '9', traits: [['plan', 'string', '"pro"']] }]],
  [/FROM trait_value_rows/, [TRAIT]],
  [/identify_rows (?:AS rows )?FINAL/, [IDENTIFY]],
  [/session_rows (?:AS rows )?FINAL/, []],
  [/^SELECT (?:user, )?trait/, [TRAIT]],
  [/from_count/, [COMPARED]],
];

const ANY_OTHER = [
  { ...EVENT_ROW, ...COUNTED, count: '2', users: ['5'], n: '1', keys: ['0'.repeat(16)], database: 'tidemark' },
];

/** What analytics answers to the questions of the examples of the OpenAPI document. */
export function analyticsRowsFor(sql: string): Rows {
  return ANSWERS.find(([form]) => form.test(sql))?.[1] ?? ANY_OTHER;
}
