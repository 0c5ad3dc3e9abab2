/** How fast each reader goes through a log that is already there, once warm: messages a second, from the log to the store. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { liveInserts } from '../../services/app/readers/generation-readers.ts';
import { Projector } from '../../services/consumers/projector/projector.ts';
import { Sink } from '../../services/consumers/sink/sink.ts';
import type { EventLog } from '../../services/event-log/event-log.ts';
import { openEventLog } from '../../services/event-log/open.ts';
import { TOPICS } from '../../services/messages/message.ts';
import { createLogger } from '../../services/runtime/logger.ts';
import { openAnalytics } from '../../services/stores/analytics/open.ts';
import type { Database, SqlValue } from '../../services/stores/database/database.ts';
import { migrateDatabase } from '../../services/stores/database/migrate.ts';
import { openDatabase } from '../../services/stores/database/open.ts';
import { SqlProfileStore } from '../../services/stores/profiles/sql-profile-store.ts';
import { SqlSinkPlans } from '../../services/stores/profiles/sql-sink-plans.ts';
import { Figures } from './figures.ts';
import type { Form } from './forms.ts';
import { codec, fill, MESSAGES, ROWS_A_MESSAGE } from './history.ts';

const logger = createLogger('error', process.stderr);

/** For a pass that is not measured: whatever was just started is not compiled yet, and has none of its memory. */
function quiet(): Figures {
  return new Figures(() => undefined);
}

export async function benchProjector(figures: Figures, form: Form): Promise<void> {
  const name = `${form.title}projector`;
  const recorded: RecordedTransaction[] = [];
  let rate = NaN;
  for (const shown of [quiet(), figures]) {
    await withStores(form, async ({ log, database }) => {
      rate = await project(shown, name, log, database);
    });
  }
  await withStores(form, async ({ log, database }) => {
    await project(quiet(), name, log, recording(database, recorded));
  });
  await form.install(async ({ settings }) => {
    const database = await openDatabase(settings.PROFILES_URL);
    await migrateDatabase(database);
    const started = performance.now();
    for (const { statements } of recorded) {
      await database.transaction(async (transaction) => {
        for (const [sql, values] of statements) await transaction.query(sql, values);
      });
    }
    const bare = (MESSAGES / (performance.now() - started)) * 1000;
    await database.close();
    figures.add(name, { 'the bare SQL alone': [bare, '1/s'], 'of the bare SQL': [rate / bare, ''] });
  });
}

async function project(figures: Figures, name: string, log: EventLog, database: Database): Promise<number> {
  const goesThrough = counting();
  const projector = new Projector({
    log,
    codec,
    logger,
    store: new SqlProfileStore(database),
    repeatWindowMs: 30 * 86_400_000,
    onBatch: ({ messages }) => goesThrough.add(messages),
  });
  return measure(figures, name, projector, goesThrough.done);
}

/** What was asked within one transaction, in order. */
interface RecordedTransaction {
  readonly statements: (readonly [sql: string, values: readonly SqlValue[]])[];
}

/** The database, writing down every statement of its transactions. */
function recording(database: Database, recorded: RecordedTransaction[]): Database {
  return {
    query: (sql, values) => database.query(sql, values),
    script: (sql) => database.script(sql),
    close: () => database.close(),
    transaction: (run) => {
      const statements: RecordedTransaction['statements'] = [];
      recorded.push({ statements });
      return database.transaction((transaction) =>
        run({
          query: (sql, values = []) => {
            statements.push([sql, values]);
            return transaction.query(sql, values);
          },
        }),
      );
    },
  };
}

export async function benchSink(figures: Figures, form: Form): Promise<void> {
  const name = `${form.title}sink`;
  for (const shown of [quiet(), figures]) await withStores(form, (stores) => copy(shown, name, stores));
}

async function copy(figures: Figures, name: string, { log, database, analyticsUrl }: Stores): Promise<void> {
  const analytics = await openAnalytics(analyticsUrl);
  try {
    const goesThrough = counting();
    const sink = new Sink({
      ...liveInserts(analyticsUrl),
      log,
      codec,
      logger,
      analytics,
      plans: new SqlSinkPlans(database),
      onInsert: ({ messages }) => goesThrough.add(messages),
    });
    const rate = await measure(figures, name, sink, goesThrough.done);
    figures.add(name, { 'event and trait rows/s': [rate * ROWS_A_MESSAGE, '1/s'] });
  } finally {
    await analytics.close();
  }
}

interface Reader {
  start(): void;
  stop(): Promise<void>;
  readonly failed: Promise<never>;
}

async function measure(figures: Figures, name: string, reader: Reader, done: Promise<void>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const started = performance.now();
  delay.enable();
  reader.start();
  await Promise.race([done, reader.failed]);
  const seconds = (performance.now() - started) / 1000;
  delay.disable();
  await reader.stop();
  figures.add(name, {
    'messages/s': [MESSAGES / seconds, '1/s'],
    'its thread held, p99': [delay.percentile(99) / 1e6, 'ms'],
    'its thread held, longest': [delay.max / 1e6, 'ms'],
  });
  return MESSAGES / seconds;
}

function counting(): { add: (messages: number) => void; done: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  let seen = 0;
  const add = (messages: number): void => {
    seen += messages;
    if (seen >= MESSAGES) resolve();
  };
  return { add, done: promise };
}

interface Stores {
  readonly log: EventLog;
  readonly database: Database;
  readonly analyticsUrl: string;
}

function withStores(form: Form, use: (stores: Stores) => Promise<void>): Promise<void> {
  return form.install(async ({ settings }) => {
    const log = await openEventLog(settings.EVENT_LOG_URL, { topics: TOPICS, partitions: 4 });
    const database = await openDatabase(settings.PROFILES_URL);
    try {
      await migrateDatabase(database);
      await fill(log);
      await use({ log, database, analyticsUrl: settings.ANALYTICS_URL });
    } finally {
      await Promise.all([log.close(), database.close()]);
    }
  });
}
