/**
 * The form of a manifest as the program writes it. Whoever can write to the folder can also make its checksum right, so
 * a restore follows no other name of a file, a topic or a table. Which tables there are, `expectTables` knows.
 */
import { Ajv, type ErrorObject } from 'ajv';
import { TOPICS } from '../../messages/message.ts';
import { HISTORY_TABLES } from '../../stores/analytics/analytics-store.ts';

const COUNT = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
const TEXT = { type: 'string' };
const TOPIC = { enum: TOPICS };

const STORED = { bytes: COUNT, crc32: { type: 'string', pattern: '^[0-9a-f]{8}$' } };

const LOG_FILE = {
  ...STORED,
  file: { type: 'string', pattern: String.raw`^log/[a-z.-]+(?:-\d+){3,4}\.zst$` },
  topic: TOPIC,
  partition: COUNT,
  first: COUNT,
  end: COUNT,
  records: COUNT,
  identity: TEXT,
  lastOffset: COUNT,
};

const TABLE_FILES = rowsFiles('tables', { type: 'string', pattern: '^[a-z_]+$' });
const FORGOTTEN = rowsFiles('tables', { enum: ['erasures', 'erased_events', 'blanked'] });
const HISTORY = rowsFiles('audience-history', { enum: HISTORY_TABLES });

const BACKUP = {
  number: { ...COUNT, minimum: 1 },
  at: { type: 'string', pattern: String.raw`^\d{4}-\d\d-\d\dT[\d:.]+Z$` },
  version: { type: 'string', pattern: String.raw`^[\w.+-]{1,64}$` },
  schema: { ...COUNT, minimum: 1 },
  hasRegistry: { type: 'boolean' },
  topics: objectsOf({ name: TOPIC, partitions: { ...COUNT, minimum: 1 } }),
  ends: objectsOf({ topic: TOPIC, partition: COUNT, end: COUNT }),
  tables: TABLE_FILES,
  history: HISTORY,
};

const validate = new Ajv({ strictTypes: false }).compile({
  type: 'object',
  required: ['log', 'backups'],
  properties: {
    log: objectsOf(LOG_FILE, { blank: COUNT }),
    backups: objectsOf(BACKUP),
    forgotten: FORGOTTEN,
  },
});

/** The place that is not as the program writes it, and why; undefined where all is. */
export function wrongInManifest(manifest: unknown): string | undefined {
  if (validate(manifest)) return undefined;
  const [{ instancePath, message }] = validate.errors as [ErrorObject];
  return `${instancePath} ${message}`;
}

function rowsFiles(folder: string, table: object): object {
  const file = { type: 'string', pattern: String.raw`^${folder}/\d{6,}/[a-z_]+\.ndjson\.zst$` };
  return objectsOf({ ...STORED, file, table, rows: COUNT });
}

function objectsOf(required: object, optional: object = {}): object {
  const properties = { ...required, ...optional };
  return { type: 'array', items: { type: 'object', required: Object.keys(required), properties } };
}
