import { resolve } from 'node:path';
import { TidemarkError } from './errors.ts';
import {
  duration,
  durationOrOff,
  initialKey,
  nonEmpty,
  onOrOff,
  oneOf,
  optionalUrl,
  origins,
  path,
  secretFromFile,
  timezone,
  url,
  wholeNumberSetting,
} from './setting-parsers.ts';

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Every setting, checked. Read once, at the edge (main.ts, app/, cli/); everything else is passed what it needs. */
export interface Config {
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  readonly eventLogUrl: string;
  readonly profilesUrl: string;
  readonly analyticsUrl: string;
  readonly schemaRegistryUrl: string | undefined;
  readonly ingestProcesses: number;
  readonly eventLogPartitions: number;
  readonly legacyBasePath: string;
  readonly initialWriteKey: string | undefined;
  readonly initialReadKey: string | undefined;
  readonly initialAdminKey: string | undefined;
  readonly initialTimezone: string;
  readonly recoverProjects: boolean;
  /** Whether `/v1/admin` is served on the port. */
  readonly isAdminOnPort: boolean;
  /** What `/metrics` asks for; undefined where it needs no key. */
  readonly metricsKey: string | undefined;
  /** `*` is any. */
  readonly corsOrigins: readonly string[];
  readonly logLevel: LogLevel;
  readonly maxUnacknowledgedBytes: number;
  readonly maxReceivingBytes: number;
  readonly maxConnections: number;
  readonly maxProjectAudiences: number;
  readonly maxClockSkewMs: number;
  readonly clockTrustAfterMs: number;
  readonly spoolDir: string | undefined;
  readonly importDir: string | undefined;
  readonly spoolMaxBytes: number;
  readonly repeatWindowMs: number;
  /** 0: never. */
  readonly verifyEveryMs: number;
  readonly queryMaxMs: number;
  readonly queryMaxMemoryBytes: number;
  readonly queryMaxRows: number;
  /** Whether the web console is served. */
  readonly console: boolean;
}

interface Setting<T> {
  readonly default: string;
  /** The text of the table in docs/configuration.md. */
  readonly help: string;
  /** Never shown, not even in an error. It may stand in a file that `NAME_FILE` names. */
  readonly secret?: true;
  readonly parse: (text: string) => T;
}

/** Every setting by its name in the environment. Tests compare the documentation with this list. */
export const SETTINGS = {
  PORT: {
    default: '8080',
    help: 'Port of the HTTP interface; 0 takes a free one',
    parse: wholeNumberSetting(0, 65_535),
  },
  HOST: { default: '127.0.0.1', help: 'Address the HTTP interface listens on', parse: nonEmpty },
  DATA_DIR: { default: './data', help: 'Folder of the embedded stores; made if absent', parse: nonEmpty },
  EVENT_LOG_URL: {
    default: 'lmdb:$DATA_DIR/event-log',
    help: 'The event log',
    secret: true,
    parse: url('lmdb', 'kafka'),
  },
  PROFILES_URL: {
    default: 'pglite:$DATA_DIR/profiles',
    help: 'Profiles, projects and keys',
    secret: true,
    parse: url('pglite', 'postgres', 'postgresql'),
  },
  ANALYTICS_URL: {
    default: 'chdb:$DATA_DIR/analytics',
    help: 'Analytics',
    secret: true,
    parse: url('chdb', 'http', 'https'),
  },
  SCHEMA_REGISTRY_URL: {
    default: '',
    help: 'Confluent-compatible schema registry; without one, schemas have the ids of this program',
    secret: true,
    parse: optionalUrl('http', 'https'),
  },
  INGEST_PROCESSES: {
    default: '1',
    help: 'Processes of the role ingest on its one port; 0 is one a processor',
    parse: wholeNumberSetting(0, 256),
  },
  EVENT_LOG_PARTITIONS: {
    default: '4',
    help: 'Partitions of each topic; fixed once the log is made',
    parse: wholeNumberSetting(1, 1_000),
  },
  LEGACY_BASE_PATH: { default: '/legacy', help: 'Where the two-step interface lives', parse: path },
  INITIAL_WRITE_KEY: {
    default: '',
    help: 'Write key of the default project made by the first start (32 characters or more) instead of a random one',
    secret: true,
    parse: initialKey,
  },
  INITIAL_READ_KEY: {
    default: '',
    help: 'Read key of the default project made by the first start (32 characters or more) instead of a random one',
    secret: true,
    parse: initialKey,
  },
  INITIAL_ADMIN_KEY: {
    default: '',
    help: 'Admin key made by the first start (32 characters or more) instead of a random one',
    secret: true,
    parse: initialKey,
  },
  INITIAL_TIMEZONE: { default: 'UTC', help: 'Time zone (IANA) of that first project', parse: timezone },
  RECOVER_PROJECTS: {
    default: 'off',
    help: 'Whether a start that finds a log and no project makes the projects of the log again, with new keys',
    parse: onOrOff,
  },
  ADMIN: {
    default: 'on',
    help: 'Whether `/v1/admin` is served on the port; off: only on the Unix socket in `DATA_DIR`',
    parse: onOrOff,
  },
  METRICS_KEY: { default: '', help: 'Key for `/metrics` (32 characters or more)', secret: true, parse: initialKey },
  CORS_ORIGINS: {
    default: '',
    help: 'Origins of pages that may send what browser SDKs send, separated by commas (`*` is any); none by default',
    parse: origins,
  },
  LOG_LEVEL: { default: 'info', help: `What is logged: ${LOG_LEVELS.join(', ')}`, parse: oneOf(LOG_LEVELS) },
  MAX_UNACKNOWLEDGED_BYTES: {
    default: String(64 * 1024 * 1024),
    help: 'Bytes of messages waiting for the event log before 429 is answered',
    parse: wholeNumberSetting(1_000_000, 2 ** 40),
  },
  MAX_RECEIVING_BYTES: {
    default: String(64 * 1024 * 1024),
    help: 'Bytes of bodies being received before 429 is answered, of each HTTP process; a project gets half',
    parse: wholeNumberSetting(2_000_000, 2 ** 40),
  },
  MAX_CONNECTIONS: {
    default: '10000',
    help: 'Connections open at once, of each HTTP process; one more gets 503 and is closed',
    parse: wholeNumberSetting(1, 1_000_000),
  },
  MAX_PROJECT_AUDIENCES: {
    default: '100',
    help: 'Saved audiences that a project may have; one more is refused',
    parse: wholeNumberSetting(1, 1_000_000),
  },
  MAX_CLOCK_SKEW_MS: {
    default: '5000',
    help: "How far this machine's clock may be from the event log's before 503 is answered",
    parse: wholeNumberSetting(1, 3_600_000),
  },
  CLOCK_TRUST_AFTER_MS: {
    default: '600000',
    help: "For how long 503 is answered after this machine's clock was set, if it is not set back",
    parse: wholeNumberSetting(1, 86_400_000),
  },
  SPOOL_DIR: {
    default: '',
    help: 'Folder for messages that wait on local disk while the event log is away; none where empty',
    parse: (value: string): string | undefined => (value === '' ? undefined : resolve(value)),
  },
  SPOOL_MAX_BYTES: {
    default: String(2 ** 30),
    help: 'Bytes that may wait there, of each ingest process',
    parse: wholeNumberSetting(1_000_000, 2 ** 50),
  },
  IMPORT_DIR: {
    default: '',
    help: 'Folder of the files that an admin key may import by their path; none where empty',
    parse: (value: string): string | undefined => (value === '' ? undefined : resolve(value)),
  },
  REPEAT_WINDOW: { default: '30d', help: 'How long a message_id is remembered (h, d or w)', parse: duration },
  VERIFY_EVERY: {
    default: '1h',
    help: 'How often it verifies the last hours by itself (h, d or w); off: never',
    parse: durationOrOff,
  },
  QUERY_MAX_MS: {
    default: '10000',
    help: 'Longest an audience question may take',
    parse: wholeNumberSetting(1, 600_000),
  },
  QUERY_MAX_MEMORY_BYTES: {
    default: String(2 * 1024 ** 3),
    help: 'Most memory an audience question may use',
    parse: wholeNumberSetting(1_000_000, 2 ** 50),
  },
  QUERY_MAX_ROWS: {
    default: '2000000000',
    help: 'Most rows an audience question may read',
    parse: wholeNumberSetting(1, Number.MAX_SAFE_INTEGER),
  },
  CONSOLE: {
    default: 'on',
    help: 'Whether the web console is served under `/console/`: on or off',
    parse: (value: string): boolean => oneOf(['on', 'off'])(value) === 'on',
  },
} as const satisfies Record<string, Setting<unknown>>;

/**
 * Reads the environment; the empty one is a working configuration.
 *
 * @throws TidemarkError `CONFIG_INVALID`, its message naming every problem at once and no secret.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = [];
  const read: ReadSetting = <T>(name: keyof typeof SETTINGS, setting: Setting<T>): T => {
    const file = setting.secret && env[`${name}_FILE`];
    try {
      const given = (file ? secretFromFile(file, env[name]) : env[name]) || setting.default;
      return setting.parse(given.replace('$DATA_DIR', dataDir));
    } catch (error) {
      problems.push(`${file ? `${name}_FILE` : name}: ${shownOf(setting, env[name])} ${(error as Error).message}`);
      return undefined as T;
    }
  };
  const dataDir = resolve(env['DATA_DIR'] || SETTINGS.DATA_DIR.default);
  const config = configFrom(read, dataDir);
  if (problems.length > 0) throw new TidemarkError('CONFIG_INVALID', problems.join('; '));
  return Object.freeze(config);
}

type ReadSetting = <T>(name: keyof typeof SETTINGS, setting: Setting<T>) => T;

function configFrom(read: ReadSetting, dataDir: string): Config {
  return {
    host: read('HOST', SETTINGS.HOST),
    port: read('PORT', SETTINGS.PORT),
    dataDir,
    eventLogUrl: read('EVENT_LOG_URL', SETTINGS.EVENT_LOG_URL),
    profilesUrl: read('PROFILES_URL', SETTINGS.PROFILES_URL),
    analyticsUrl: read('ANALYTICS_URL', SETTINGS.ANALYTICS_URL),
    schemaRegistryUrl: read('SCHEMA_REGISTRY_URL', SETTINGS.SCHEMA_REGISTRY_URL),
    ingestProcesses: read('INGEST_PROCESSES', SETTINGS.INGEST_PROCESSES),
    eventLogPartitions: read('EVENT_LOG_PARTITIONS', SETTINGS.EVENT_LOG_PARTITIONS),
    legacyBasePath: read('LEGACY_BASE_PATH', SETTINGS.LEGACY_BASE_PATH),
    initialWriteKey: read('INITIAL_WRITE_KEY', SETTINGS.INITIAL_WRITE_KEY),
    initialReadKey: read('INITIAL_READ_KEY', SETTINGS.INITIAL_READ_KEY),
    initialAdminKey: read('INITIAL_ADMIN_KEY', SETTINGS.INITIAL_ADMIN_KEY),
    initialTimezone: read('INITIAL_TIMEZONE', SETTINGS.INITIAL_TIMEZONE),
    recoverProjects: read('RECOVER_PROJECTS', SETTINGS.RECOVER_PROJECTS),
    isAdminOnPort: read('ADMIN', SETTINGS.ADMIN),
    metricsKey: read('METRICS_KEY', SETTINGS.METRICS_KEY),
    corsOrigins: read('CORS_ORIGINS', SETTINGS.CORS_ORIGINS),
    logLevel: read('LOG_LEVEL', SETTINGS.LOG_LEVEL),
    maxUnacknowledgedBytes: read('MAX_UNACKNOWLEDGED_BYTES', SETTINGS.MAX_UNACKNOWLEDGED_BYTES),
    maxReceivingBytes: read('MAX_RECEIVING_BYTES', SETTINGS.MAX_RECEIVING_BYTES),
    maxConnections: read('MAX_CONNECTIONS', SETTINGS.MAX_CONNECTIONS),
    maxProjectAudiences: read('MAX_PROJECT_AUDIENCES', SETTINGS.MAX_PROJECT_AUDIENCES),
    maxClockSkewMs: read('MAX_CLOCK_SKEW_MS', SETTINGS.MAX_CLOCK_SKEW_MS),
    clockTrustAfterMs: read('CLOCK_TRUST_AFTER_MS', SETTINGS.CLOCK_TRUST_AFTER_MS),
    spoolDir: read('SPOOL_DIR', SETTINGS.SPOOL_DIR),
    spoolMaxBytes: read('SPOOL_MAX_BYTES', SETTINGS.SPOOL_MAX_BYTES),
    importDir: read('IMPORT_DIR', SETTINGS.IMPORT_DIR),
    repeatWindowMs: read('REPEAT_WINDOW', SETTINGS.REPEAT_WINDOW),
    verifyEveryMs: read('VERIFY_EVERY', SETTINGS.VERIFY_EVERY),
    queryMaxMs: read('QUERY_MAX_MS', SETTINGS.QUERY_MAX_MS),
    queryMaxMemoryBytes: read('QUERY_MAX_MEMORY_BYTES', SETTINGS.QUERY_MAX_MEMORY_BYTES),
    queryMaxRows: read('QUERY_MAX_ROWS', SETTINGS.QUERY_MAX_ROWS),
    console: read('CONSOLE', SETTINGS.CONSOLE),
  };
}

function shownOf({ secret }: Pick<Setting<unknown>, 'secret'>, given: string | undefined): string {
  return secret ? 'the value given' : JSON.stringify(given);
}
