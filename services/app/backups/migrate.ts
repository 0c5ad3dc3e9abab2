/** Brings the stores of the configuration up to this version, whatever `MIGRATE` says. */
import { openExpiringTopic, shareEventLog } from '../../event-log/open.ts';
import { AUDIENCE_CHANGE_TOPIC, TOPICS } from '../../messages/message.ts';
import type { Config } from '../../runtime/config.ts';
import { checkDataFolders, hasEmbedded, isServer } from '../../runtime/embedded.ts';
import { hasCode } from '../../runtime/errors.ts';
import { lockFolder } from '../../runtime/folder-lock.ts';
import { createLogger } from '../../runtime/logger.ts';
import { SqlGenerations } from '../../stores/generations/sql-generations.ts';
import { type MigratedStore, type OnMigrated, StoreOpener } from '../open-stores.ts';

/**
 * Resolves with what was done in each store, in order: the migrations that were applied, and what was made.
 * May run beside processes on servers, and again. It does what their starts do, under the same locks, and does not wait.
 *
 * @throws TidemarkError as `StoreOpener`; `FOLDER_IN_USE` where a service has an embedded store open.
 */
export async function migrateStores(given: Config, onMigrated: OnMigrated): Promise<Record<MigratedStore, string[]>> {
  checkDataFolders(given);
  const done: Record<MigratedStore, string[]> = { log: [], database: [], analytics: [] };
  const note: OnMigrated = (store, name) => {
    done[store].push(name);
    onMigrated(store, name);
  };
  const config = { ...given, migrate: true };
  const logger = createLogger('silent', { write: () => undefined });
  const opener = new StoreOpener(config, logger, undefined, note);
  // Closed backwards, the database last: analytics may be migrating under its lock.
  await using opened = new AsyncDisposableStack();
  if (hasEmbedded(config)) opened.adopt(lockFolder(config.dataDir), (lock) => lock.release());
  await shareEventLog(config.eventLogUrl);
  const database = opened.adopt(await opener.database(), (store) => store.close());
  opened.adopt(await opener.log(), (log) => log.close());
  await opener.codec();
  const analytics = opened.adopt(await opener.analytics(Promise.resolve(database)), (store) => store.close());
  for (const { kind, number, state } of await new SqlGenerations(database).list())
    if (kind === 'analytics' && (state === 'building' || state === 'built')) await analytics.ofGeneration(number);
  if (isServer(config.eventLogUrl)) {
    const migration = { isOn: true, note: (name: string) => note('log', name) };
    const partitions = config.eventLogPartitions;
    const wanted = { topic: AUDIENCE_CHANGE_TOPIC, alike: TOPICS, partitions, migration, logger };
    await (await openExpiringTopic(config.eventLogUrl, wanted).catch(orMissing))?.close();
  }
  return done;
}

/** With `create_topics=false` an installation may do without it. */
function orMissing(error: unknown): undefined {
  if (!hasCode(error, 'LOG_MISCONFIGURED')) throw error;
}
