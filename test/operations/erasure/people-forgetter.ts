/**
 * A program of its own: forgets everybody of whom that was asked in an embedded installation, and dies, as by kill -9, at the
 * step that is given. `people-forgetter.ts DATA_DIR [STEP]`
 */
import { spawn } from 'node:child_process';
import { EmbeddedEventLog } from '../../../services/event-log/embedded/embedded-event-log.ts';
import { openEventLog } from '../../../services/event-log/open.ts';
import { Codec } from '../../../services/messages/codec.ts';
import { TOPICS } from '../../../services/messages/message.ts';
import { EmbeddedSchemaIds } from '../../../services/messages/schema-ids.ts';
import { blankerOn } from '../../../services/operations/erasure/blank-records.ts';
import { forgetUsers } from '../../../services/operations/erasure/forget-users.ts';
import { importsFolderOf } from '../../../services/operations/import/import-request.ts';
import { ChdbEngine } from '../../../services/stores/analytics/chdb/chdb-engine.ts';
import { ClickHouseStore } from '../../../services/stores/analytics/clickhouse/clickhouse-store.ts';
import { openAnalytics } from '../../../services/stores/analytics/open.ts';
import { openDatabase } from '../../../services/stores/database/open.ts';
import { PgliteDatabase } from '../../../services/stores/database/pglite/pglite-database.ts';
import { SqlErasures } from '../../../services/stores/erasures/sql-erasures.ts';
import { embeddedUrls } from '../../support/stores/new-stores.ts';

type Method = (...args: never[]) => unknown;

export const FORGETTING_STEPS = [
  'rows of Postgres are deleted, those of ClickHouse are not',
  'rows of ClickHouse are deleted, and not counted',
  'records are listed, and not blank',
  'records are blank, and not counted',
  'files of imports are forgotten, ids are not',
  'ids are forgotten, and no file is rewritten',
  'a table is being rewritten',
  'tables are rewritten, the write-ahead log is there',
  'the write-ahead log is ended, and not removed',
  'old parts of ClickHouse are being removed',
  'everything is gone, and no certificate is written',
  'the certificate is written, and not committed',
] as const;

export type ForgettingStep = (typeof FORGETTING_STEPS)[number];

const STEPS: Readonly<Record<ForgettingStep, () => void>> = {
  'rows of Postgres are deleted, those of ClickHouse are not': () => before(ClickHouseStore.prototype, 'forget'),
  'rows of ClickHouse are deleted, and not counted': () => after(ClickHouseStore.prototype, 'forget'),
  'records are listed, and not blank': () => before(EmbeddedEventLog.prototype, 'erase'),
  'records are blank, and not counted': () => after(EmbeddedEventLog.prototype, 'erase'),
  'files of imports are forgotten, ids are not': () => before(SqlErasures.prototype, 'forgetNames'),
  'ids are forgotten, and no file is rewritten': () => before(PgliteDatabase.prototype, 'rewriteFiles'),
  'a table is being rewritten': () =>
    before(PgliteDatabase.prototype, 'query', ([sql]) => sql === 'vacuum (full, analyze) profiles', dieSoon),
  'tables are rewritten, the write-ahead log is there': () =>
    before(PgliteDatabase.prototype, 'query', ([sql]) => sql.startsWith('set wal_recycle')),
  'the write-ahead log is ended, and not removed': () =>
    after(PgliteDatabase.prototype, 'query', ([sql]) => sql.includes('pg_switch_wal')),
  'old parts of ClickHouse are being removed': () =>
    before(ChdbEngine.prototype, 'query', ([, sql]) => sql?.includes('DROP PARTITION ID') === true),
  'everything is gone, and no certificate is written': () => before(SqlErasures, 'finish'),
  'the certificate is written, and not committed': () => after(SqlErasures, 'finish'),
};

function die(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('it is dead');
}

/** In the midst of what comes next: nothing of this thread runs meanwhile. */
function dieSoon(): void {
  spawn('sh', ['-c', `sleep 0.003; kill -9 ${process.pid}`], { stdio: 'ignore' });
}

type Wanted = (args: readonly [string, string?]) => boolean;

function before(owner: object, name: string, isWanted: Wanted = () => true, end: () => void = die): void {
  around(owner, name, async (call, args) => {
    if (isWanted(args)) end();
    return call();
  });
}

function after(owner: object, name: string, isWanted: Wanted = () => true): void {
  around(owner, name, async (call, args) => {
    const result = await call();
    if (isWanted(args)) die();
    return result;
  });
}

function around(
  owner: object,
  name: string,
  wrapper: (call: () => unknown, args: readonly [string, string?]) => Promise<unknown>,
): void {
  const methods = owner as Record<string, Method>;
  const real = methods[name] as Method;
  methods[name] = function (this: unknown, ...args: never[]) {
    return wrapper(() => real.apply(this, args), args as unknown as readonly [string, string?]);
  };
}

async function main(dataDir: string, step: ForgettingStep | undefined): Promise<void> {
  const urls = embeddedUrls(dataDir);
  const codec = new Codec(new EmbeddedSchemaIds());
  const database = await openDatabase(urls.PROFILES_URL);
  const analytics = await openAnalytics(urls.ANALYTICS_URL);
  const log = await openEventLog(urls.EVENT_LOG_URL, { topics: TOPICS, partitions: 2 });
  if (step !== undefined) STEPS[step]();
  const blank = blankerOn({ log, codec, database });
  const parts = { codec, log, database, analytics, importsFolder: importsFolderOf(dataDir), pauseMs: 1 };
  const call = { report: () => undefined, signal: new AbortController().signal };
  const result = await forgetUsers({ ...parts, ...(blank && { blank }) }, call);
  await Promise.all([log.close(), database.close(), analytics.close()]);
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

const [, program, dataDir, step] = process.argv;
// The test imports the steps alone.
if (program === import.meta.filename && dataDir !== undefined) await main(dataDir, step as ForgettingStep | undefined);
