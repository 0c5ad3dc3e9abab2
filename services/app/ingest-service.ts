/** The role `ingest`: the whole HTTP interface. It writes to the log and reads the stores, which may be unreachable. */
import { Registry } from 'prom-client';
import { pagesOf } from '../api/console/console-files.ts';
import { bindServer } from '../http/starting.ts';
import type { Codec } from '../messages/codec.ts';
import { JobMetrics } from '../operations/status/job-metrics.ts';
import type { Config } from '../runtime/config.ts';
import { dataFoldersOf } from '../runtime/embedded.ts';
import type { Logger } from '../runtime/logger.ts';
import { callMethod, standInFor } from '../runtime/stand-in.ts';
import type { FirstStart } from '../stores/projects/first-start.ts';
import { compose } from './composition.ts';
import { openHttpSide } from './http-side.ts';
import { ImportQueue, importThreads } from './imports/import-thread.ts';
import { backupScheduleOf } from './interface-routes.ts';
import { LazyStores } from './lazy-stores.ts';
import { StoreOpener } from './open-stores.ts';
import { type ProcessPart, type ProcessParts, startParts } from './process-parts.ts';
import { ensureFirstProject, makeFirst, mayRunJobs, projectNamesIn } from './projects.ts';
import { statesOf } from './readers/readers.ts';
import type { Running } from './role.ts';
import { sharedStoresOn } from './stores.ts';

export interface IngestOptions {
  /** What `/metrics` answers where several processes answer as one; given the process' own registry. */
  readonly metricsOf?: (registry: Registry) => () => Promise<string>;
}

/**
 * Listens before its servers can be reached: `/healthz` answers, and messages get 503 until the log is open. Needs the log
 * and, for the keys, the profiles' database; it does not wait for analytics. Resolves once it can accept messages.
 *
 * @throws TidemarkError what permanently keeps it from doing so.
 */
export function startIngest(
  config: Config,
  logger: Logger,
  signal: AbortSignal,
  { metricsOf }: IngestOptions = {},
): Promise<Running> {
  return startParts(signal, async (parts) => {
    const bound = await bindServer(config, logger, pagesOf(config));
    const { address, server } = bound;
    await parts.start({ stop: () => server.close(0) });
    const lazy = new LazyStores(new StoreOpener(config, logger, parts.stopping), { opensOnCall: false });
    await parts.start({ stop: () => lazy.close() });
    const { log, database, analytics } = lazy.standIns;
    const shared = sharedStoresOn(config, lazy.standIns);
    // Its stores are on servers: the processes of the readers read them.
    const readers = { health: () => statesOf(database, analytics), metrics: () => parts.metrics() };
    const own = { config, logger, hasReaders: true, importer: new ImportQueue(importThreads(config)), readers };
    const { stores, jobs, deliverer, schedule } = compose(own, shared, (names) => lazy.all(names));
    const registry = new Registry();
    const given = {
      bound,
      config,
      logger,
      stores,
      log,
      codec: codecOf(lazy),
      registry,
      metrics: metricsOf?.(registry),
    };
    const http = await openHttpSide({ ...given, role: 'ingest' });
    await parts.start(...http.behind);
    // It sends only what is asked for: the processes of the sink send the rest. The streams of commands end with the commands.
    const sending = { metrics: () => deliverer.metrics(), stop: () => deliverer.stop() };
    const installation = new JobMetrics(database, {
      backups: backupScheduleOf(config),
      folders: dataFoldersOf(config),
      processes: shared.processes,
      countWaiting: () => stores.deadLetters.countWaiting(),
    });
    await parts.start(sending, { metrics: () => installation.text() }, { stop: () => jobs.stop() }, http.serving);
    logger.info({ address, role: 'ingest' }, 'starting');
    const { started, ended } = openAll(parts, config, logger, lazy, schedule);
    const firstStart = await Promise.race([started, ended]);
    await http.follow();
    return { address, firstStart, ended, projectNames: () => projectNamesIn(database) };
  });
}

/** Until the schemas are loaded, every call throws `LOG_UNAVAILABLE`. */
function codecOf(lazy: LazyStores): Codec {
  return standInFor<Codec>((method, args) => callMethod(lazy.openedOrThrow('codec'), method, args));
}

interface Opening {
  /** Resolves once messages can be accepted; analytics may still be opening. */
  readonly started: Promise<FirstStart | undefined>;
  /** Rejects when a store can never be opened; never resolves. */
  readonly ended: Promise<never>;
}

/** Opens each store in the background as soon as its server can be reached. */
function openAll(
  parts: ProcessParts,
  config: Config,
  logger: Logger,
  lazy: LazyStores,
  schedule: ProcessPart,
): Opening {
  const needed = Promise.all([lazy.open('log'), lazy.open('codec'), lazy.open('database')]);
  const ensured = needed.then(([log, codec, database]) =>
    ensureFirstProject(config, { log, codec, database, logger }, parts.stopping),
  );
  const begun = Promise.all([lazy.open('database'), ensured, lazy.open('analytics')]).then(async ([database]) => {
    if (await mayRunJobs({ database, logger }, parts.stopping)) await parts.start(schedule);
    else logger.info('the user of this process may not write the table jobs: other processes run them');
  });
  const ended = begun.then(() => new Promise<never>(() => undefined));
  ended.catch(() => undefined);
  return { started: firstStartOf(config, lazy, ensured), ended };
}

async function firstStartOf(
  config: Config,
  lazy: LazyStores,
  ensured: Promise<FirstStart | undefined>,
): Promise<FirstStart | undefined> {
  const needsLog = config.spoolDir === undefined;
  const [database] = await Promise.all([lazy.open('database'), lazy.open('codec'), needsLog && lazy.open('log')]);
  // Messages wait in the spool until the log is open.
  const isSpooling = lazy.opened('log') === undefined && (await projectNamesIn(database)).length > 0;
  return isSpooling ? makeFirst(config, database) : ensured;
}
