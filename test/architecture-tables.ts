/** Folders of `services/` in the order of the data's way, each with those whose files its own may import. */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  runtime: [],
  messages: ['runtime'],
  'event-log': ['runtime'],
  stores: ['runtime', 'messages', 'event-log'],
  http: ['runtime', 'messages', 'stores'],
  ingest: ['runtime', 'messages', 'event-log', 'stores', 'http'],
  consumers: ['runtime', 'messages', 'event-log', 'stores'],
  questions: ['runtime', 'messages', 'stores'],
  webhooks: ['runtime', 'messages', 'stores'],
  operations: ['runtime', 'messages', 'event-log', 'stores', 'consumers'],
  api: ['runtime', 'messages', 'event-log', 'stores', 'http', 'questions', 'webhooks', 'operations'],
  app: [
    'runtime',
    'messages',
    'event-log',
    'stores',
    'http',
    'ingest',
    'consumers',
    'questions',
    'webhooks',
    'operations',
    'api',
  ],
  cli: ['runtime', 'app'],
};

/** What runs in a process of its own. They meet in the log and in the stores. */
export const ROLES: readonly string[] = ['ingest', 'api', 'consumers/projector', 'consumers/sink', 'questions'];

/** The folders that are no role: several roles use them, or they start roles. */
export const SHARED: readonly string[] = [
  'runtime',
  'messages',
  'event-log',
  'stores',
  'http',
  'consumers/throttle',
  'webhooks',
  'operations',
  'app',
  'cli',
];

/** Folders of adapters. Only an `open.ts` outside of them imports from them, when it is called. */
export const ADAPTERS: readonly string[] = [
  'event-log/embedded',
  'event-log/kafka',
  'stores/database/pglite',
  'stores/database/postgres',
  'stores/analytics/chdb',
  'stores/analytics/clickhouse',
];

/** What the messages' bytes need of a server: apart from the vocabulary, which does no I/O. */
export const REGISTRY = 'services/messages/registry';

export const DRIVERS: Readonly<Record<string, RegExp>> = {
  kafkajs: /^services\/event-log\/kafka\//,
  '@platformatic/kafka': /^services\/event-log\/kafka\//,
  '@kafkajs/confluent-schema-registry': /^services\/messages\/registry\//,
  pg: /^services\/stores\/database\/postgres\//,
  '@electric-sql/pglite': /^services\/stores\/database\/pglite\//,
  '@clickhouse/client': /^services\/stores\/analytics\/(clickhouse|chdb)\//,
  chdb: /^services\/stores\/analytics\/chdb\//,
  '@modelcontextprotocol/server': /^services\/api\/mcp\//,
};

/**
 * Words that the glossary replaced, wherever they are: code, comments, messages, names of files. Budgets keep how often
 * each is still there.
 */
export const REPLACED_PHRASES: readonly string[] = [
  'turnstile',
  'hold thread',
  'all done',
  'patiently',
  'poison',
  'put aside',
  'handed over',
  'at ease',
  'gives? way',
  'sparing commits?',
  'recent peak',
  'one ahead',
  'keepers?',
  'adopters?',
  'verdicts?',
  'occurrences?',
  'unsaid',
  'whatever one does',
  'none of ours',
  'is none',
  'comes again',
  'lets? go of',
];

/** Words that are plain English in a sentence, but stood for too many things as a name. */
export const REPLACED_NAMES: readonly string[] = [
  'held',
  'hold',
  'books',
  'place',
  'late',
  'slot',
  'slots',
  'gate',
  'turns',
  'material',
  'making',
  'maker',
  'lane',
  'rank',
  'stretch',
  'portion',
  'taken',
  'halves',
  'refused',
  'said',
  'told',
  'stands',
  'standing',
  'reach',
  'asked',
  'asking',
  'shown',
  'walk',
  'settle',
  'wiring',
  'door',
  'away',
];
