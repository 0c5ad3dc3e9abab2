/** Every setting: its name, its default, what it is for, and how it is read. */
import { resolve } from 'node:path';
import {
  duration,
  durationOrOff,
  folder,
  initialKey,
  logUrl,
  networks,
  nonEmpty,
  onOrOff,
  oneOf,
  optionalUrl,
  origins,
  path,
  retention,
  type Setting,
  monthsOrForEver,
  timezone,
  url,
  wholeNumberSetting,
} from './parsers.ts';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

export const SETTINGS = {
  port: {
    name: 'PORT',
    default: '8080',
    help: 'Port of the HTTP interface; 0 takes a free one',
    parse: wholeNumberSetting(0, 65_535),
  },
  host: { name: 'HOST', default: '127.0.0.1', help: 'Address the HTTP interface listens on', parse: nonEmpty },
  dataDir: {
    name: 'DATA_DIR',
    default: './data',
    help: 'Folder of the embedded stores; made if absent',
    parse: (value: string): string => resolve(value),
  },
  eventLogUrl: {
    name: 'EVENT_LOG_URL',
    default: 'log:$DATA_DIR/event-log',
    help: 'The event log',
    secret: true,
    parse: logUrl,
  },
  profilesUrl: {
    name: 'PROFILES_URL',
    default: 'pglite:$DATA_DIR/profiles',
    help: 'Profiles, projects and keys',
    secret: true,
    parse: url('pglite', 'postgres', 'postgresql'),
  },
  analyticsUrl: {
    name: 'ANALYTICS_URL',
    default: 'chdb:$DATA_DIR/analytics',
    help: 'Analytics',
    secret: true,
    parse: url('chdb', 'http', 'https'),
  },
  schemaRegistryUrl: {
    name: 'SCHEMA_REGISTRY_URL',
    default: '',
    help: 'Confluent-compatible schema registry; without one, schemas have the ids of this program',
    secret: true,
    parse: optionalUrl('http', 'https'),
  },
  ingestProcesses: {
    name: 'INGEST_PROCESSES',
    default: '1',
    help: 'Processes of the role ingest on its one port; 0 is one a processor',
    parse: wholeNumberSetting(0, 256),
  },
  eventLogPartitions: {
    name: 'EVENT_LOG_PARTITIONS',
    default: '4',
    help: 'Partitions of each topic; fixed once the log is made',
    parse: wholeNumberSetting(1, 1_000),
  },
  /** Whether a start migrates. */
  migrate: {
    name: 'MIGRATE',
    default: 'on',
    help: 'Whether a start brings the stores up to this version; off: it waits until `tidemark migrate` has',
    parse: onOrOff,
  },
  legacyBasePath: { name: 'LEGACY_BASE_PATH', default: '/legacy', help: 'Path of the two-step interface', parse: path },
  initialWriteKey: {
    name: 'INITIAL_WRITE_KEY',
    default: '',
    help: 'Write key of the default project made by the first start (32 characters or more) instead of a random one',
    secret: true,
    parse: initialKey,
  },
  initialReadKey: {
    name: 'INITIAL_READ_KEY',
    default: '',
    help: 'Read key of the default project made by the first start (32 characters or more) instead of a random one',
    secret: true,
    parse: initialKey,
  },
  initialAdminKey: {
    name: 'INITIAL_ADMIN_KEY',
    default: '',
    help: 'Admin key made by the first start (32 characters or more) instead of a random one',
    secret: true,
    parse: initialKey,
  },
  initialTimezone: {
    name: 'INITIAL_TIMEZONE',
    default: 'UTC',
    help: 'Time zone of that first project',
    parse: timezone,
  },
  /** Null for ever. */
  keepEventsMonths: {
    name: 'KEEP_EVENTS',
    default: '',
    help: 'For how many months projects made from now on keep events, as in `13mo`; for ever by default',
    parse: monthsOrForEver,
  },
  /** Null for ever. */
  logRetentionMs: {
    name: 'LOG_RETENTION',
    default: '',
    help: 'For how long the event log keeps messages, 30d or more; for ever by default',
    parse: retention,
  },
  recoverProjects: {
    name: 'RECOVER_PROJECTS',
    default: 'off',
    help: 'Whether a start that finds a log and no project makes the projects of the log again, with new keys',
    parse: onOrOff,
  },
  /** Whether what needs the scope `admin` is served on the port. */
  isAdminOnPort: {
    name: 'ADMIN',
    default: 'on',
    help: 'Whether what needs the scope `admin` is served on the port; off: only on the Unix socket in `DATA_DIR`',
    parse: onOrOff,
  },
  /** What `/metrics` asks for; undefined where it needs no key. */
  metricsKey: {
    name: 'METRICS_KEY',
    default: '',
    help: 'Key for `/metrics` (32 characters or more)',
    secret: true,
    parse: initialKey,
  },
  /** `*` is any. */
  corsOrigins: {
    name: 'CORS_ORIGINS',
    default: '',
    help: 'Origins of pages that may send messages, separated by commas (`*` is any); none by default',
    parse: origins,
  },
  logLevel: {
    name: 'LOG_LEVEL',
    default: 'info',
    help: `What is logged: ${LOG_LEVELS.join(', ')}`,
    parse: oneOf(LOG_LEVELS),
  },
  maxUnacknowledgedBytes: {
    name: 'MAX_UNACKNOWLEDGED_BYTES',
    default: String(64 * 1024 * 1024),
    help: 'Bytes of messages waiting for the event log before 429 is answered',
    parse: wholeNumberSetting(1_000_000, 2 ** 40),
  },
  maxReceivingBytes: {
    name: 'MAX_RECEIVING_BYTES',
    default: String(64 * 1024 * 1024),
    help: 'Bytes of bodies being received before 429 is answered, of each HTTP process; a project gets half',
    parse: wholeNumberSetting(2_000_000, 2 ** 40),
  },
  maxConnections: {
    name: 'MAX_CONNECTIONS',
    default: '10000',
    help: 'Connections open at once, of each HTTP process; one more gets 503 and is closed',
    parse: wholeNumberSetting(1, 1_000_000),
  },
  maxProjectAudiences: {
    name: 'MAX_PROJECT_AUDIENCES',
    default: '100',
    help: 'Saved audiences that a project may have; one more is refused',
    parse: wholeNumberSetting(1, 1_000_000),
  },
  webhookAllow: {
    name: 'WEBHOOK_ALLOW',
    default: '',
    help: 'Inner addresses and networks that webhooks may be sent to, separated by commas (`10.2.0.0/16,::1`); none by default',
    parse: networks,
  },
  maxClockSkewMs: {
    name: 'MAX_CLOCK_SKEW_MS',
    default: '5000',
    help: "How far this machine's clock may be from the event log's before 503 is answered",
    parse: wholeNumberSetting(1, 3_600_000),
  },
  clockTrustAfterMs: {
    name: 'CLOCK_TRUST_AFTER_MS',
    default: '600000',
    help: "For how long 503 is answered after this machine's clock was set, if it is not set back",
    parse: wholeNumberSetting(1, 86_400_000),
  },
  spoolDir: {
    name: 'SPOOL_DIR',
    default: '',
    help: 'Folder for messages that wait on local disk while the event log is unreachable; none where empty',
    parse: folder,
  },
  spoolMaxBytes: {
    name: 'SPOOL_MAX_BYTES',
    default: String(2 ** 30),
    help: 'Bytes that may wait there, of each ingest process',
    parse: wholeNumberSetting(1_000_000, 2 ** 50),
  },
  importDir: {
    name: 'IMPORT_DIR',
    default: '',
    help: 'Folder of the files that an admin key may import by their path; none where empty',
    parse: folder,
  },
  backupDir: {
    name: 'BACKUP_DIR',
    default: '',
    help: 'Folder that backups go to: by themselves, and those that an admin key begins; none where empty',
    parse: folder,
  },
  /** 0: never. */
  backupEveryMs: {
    name: 'BACKUP_EVERY',
    default: '1d',
    help: 'How often a backup is made there by itself (h, d or w); off: never',
    parse: durationOrOff,
  },
  backupKeep: {
    name: 'BACKUP_KEEP',
    default: '14',
    help: 'How many backups the folder keeps; their logs share files',
    parse: wholeNumberSetting(1, 10_000),
  },
  repeatWindowMs: {
    name: 'REPEAT_WINDOW',
    default: '30d',
    help: 'How long a message_id is remembered (h, d or w)',
    parse: duration,
  },
  /** 0: never. */
  verifyEveryMs: {
    name: 'VERIFY_EVERY',
    default: '1h',
    help: 'How often it verifies the last hours by itself (h, d or w); off: never',
    parse: durationOrOff,
  },
  queryMaxMs: {
    name: 'QUERY_MAX_MS',
    default: '10000',
    help: 'Longest an audience question may take',
    parse: wholeNumberSetting(1, 600_000),
  },
  queryMaxMemoryBytes: {
    name: 'QUERY_MAX_MEMORY_BYTES',
    default: String(2 * 1024 ** 3),
    help: 'Most memory an audience question may use',
    parse: wholeNumberSetting(1_000_000, 2 ** 50),
  },
  queryMaxRows: {
    name: 'QUERY_MAX_ROWS',
    default: '2000000000',
    help: 'Most rows an audience question may read',
    parse: wholeNumberSetting(1, Number.MAX_SAFE_INTEGER),
  },
  /** Whether the web console is served. */
  console: {
    name: 'CONSOLE',
    default: 'on',
    help: 'Whether the web console is served under `/console/`: on or off',
    parse: onOrOff,
  },
  /** Whether assistants are answered. */
  mcp: { name: 'MCP', default: 'on', help: 'Whether assistants are answered at `/mcp`: on or off', parse: onOrOff },
} as const satisfies Record<string, Setting<unknown>>;
