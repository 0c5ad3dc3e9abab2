import { userKeyOf } from '../../services/messages/user-key.ts';
import { PROJECT } from './reading-server.ts';

const NAMED = { named: [['ada', '']], unnamed: [] };
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

/** What analytics answers to the questions of the examples of the OpenAPI document. */
export function analyticsRowsFor(sql: string): readonly Record<string, unknown>[] {
  if (sql.startsWith('SELECT properties_text')) return [{ properties_text: '{"total":1e400}' }];
  if (sql.startsWith('SELECT is_event')) return [CATALOG_ROW, { ...CATALOG_ROW, name: 'total', types: [['d', '2']] }];
  if (sql.startsWith('SELECT trait AS name'))
    return [{ ...CATALOG_ROW, types: [['string', '2']], examples: ['"pro"'] }];
  if (/^SELECT (?:count\(\) AS times|event AS name)/.test(sql)) return [CATALOG_ROW];
  if (sql.startsWith('EXPLAIN ESTIMATE')) return [{ table: 'track_rows', parts: '1', rows: '2', marks: '1' }];
  if (sql.startsWith('EXPLAIN')) return [{ explain: 'ReadFromMergeTree' }];
  if (sql.includes('FROM user_event_rows') || sql.includes('FROM audience_')) return [];
  if (sql.includes('AS user_number FROM trait_rows')) return [{ user_number: '5' }];
  if (sql.includes('max(internal_id)')) return [{ internal_id: userKeyOf(PROJECT.id, 'ada') }];
  if (sql.includes('AS newer')) return [{ version: '5', bytes: '5', newer: '0' }];
  if (sql.includes('FROM trait_value_rows')) return [{ version: '5', trait: 'plan', kind: 'string', value: '"pro"' }];
  if (sql.includes('identify_rows FINAL'))
    return [{ version: '5', type: 'identify', message_id: 'm', occurred: '1', received: '2', anonymous_id: '' }];
  if (sql.includes('session_rows FINAL')) return [];
  if (sql.startsWith('SELECT trait')) return [{ trait: 'plan', kind: 'string', value: '"pro"', version: '5' }];
  if (sql.includes('from_count')) return [COMPARED];
  return [{ ...EVENT_ROW, ...COUNTED, ...NAMED, count: '2', sample: ['ada'], n: '1', database: 'tidemark' }];
}
