/** Opens the stores of a service that is stopped, and holds all of them against what was sent and answered. */
import type { AnalyticsStore } from '../../../services/stores/analytics/analytics-store.ts';
import { openAnalytics } from '../../../services/stores/analytics/open.ts';
import { openDatabase } from '../../../services/stores/database/open.ts';
import type { Database } from '../../../services/stores/database/database.ts';
import { type Generation, type GenerationKind, tableOf } from '../../../services/stores/generations/generation.ts';
import { SqlGenerations } from '../../../services/stores/generations/sql-generations.ts';
import { checkLive, type LiveReport } from './check-live.ts';
import { LogCheck } from './check-log.ts';
import { checkClickHouse, checkPostgres } from './check-stores.ts';
import { checkTold } from './check-told.ts';
import type { Findings } from './findings.ts';
import type { Ledger } from './ledger.ts';
import { type LoggedMessage, Model } from './model.ts';
import { readLog } from './read-log.ts';
import type { StoreUrls } from '../../support/stores/new-stores.ts';
import type { TraitsTold } from './traits-told.ts';

export interface Sent {
  readonly ledger: Ledger;
  readonly told: TraitsTold;
}

export interface Compared {
  /** On the log, copies too. */
  readonly messages: number;
  /** Later copies of a message. */
  readonly copies: number;
  readonly users: number;
  readonly events: number;
  /** Those that are compared: all that are kept up to date. */
  readonly generations: readonly string[];
}

export interface CompareOptions {
  /** Messages that the checker is made to overlook: to see that it finds out. */
  readonly drop?: (message: LoggedMessage) => boolean;
  readonly live?: readonly LiveReport[];
  /** A project whose people were all forgotten. */
  readonly forgotten?: string | undefined;
}

export async function compareStores(
  { ledger, told }: Sent,
  stores: StoreUrls,
  findings: Findings,
  { drop = () => false, live = [], forgotten }: CompareOptions = {},
): Promise<Compared> {
  const [model, logCheck] = [new Model(), new LogCheck(ledger, findings)];
  let messages = 0;
  const log = await readLog(stores.EVENT_LOG_URL, (message) => {
    if (drop(message) || message.projectId === forgotten) return;
    messages++;
    model.add(message);
    logCheck.add(message);
  });
  logCheck.finish();
  for (const place of log.undecodable) findings.add('no message', place);
  if (log.deadLetters > 0) findings.add('dead letters', `${log.deadLetters} of them`);
  checkTold(told, model, findings);
  checkLive(live, model, findings);
  const database = await openDatabase(stores.PROFILES_URL);
  const analytics = await openAnalytics(stores.ANALYTICS_URL).catch(async (error: unknown) => {
    await database.close();
    throw error;
  });
  try {
    const expected = { ledger, models: { profiles: model, analytics: model }, ends: log.ends };
    const generations = await checkGenerations(expected, { database, analytics }, findings);
    if (forgotten !== undefined) await checkForgotten(forgotten, { database, analytics }, findings);
    return { messages, copies: logCheck.copies, users: model.users.size, events: model.events.size, generations };
  } finally {
    await Promise.all([database.close(), analytics.close()]);
  }
}

interface Stores {
  readonly database: Database;
  readonly analytics: AnalyticsStore;
}

async function fedGenerations(database: Database): Promise<readonly Generation[]> {
  const all = await new SqlGenerations(database).list();
  return all.filter(({ state }) => state === 'building' || state === 'built');
}

/** Nobody of a project whose people were all forgotten is in any generation. */
async function checkForgotten(projectId: string, { database, analytics }: Stores, findings: Findings): Promise<void> {
  for (const generation of await fedGenerations(database)) {
    const { kind, number } = generation;
    const rows =
      kind === 'profiles'
        ? await database.query(`select 1 from ${tableOf(kind, number, 'users')} where project_id = $1`, [projectId])
        : await (await analytics.ofGeneration(number)).countOf({ projectId });
    if (rows.length > 0) findings.add('forgotten and there again', `${rows.length} in ${nameOf(generation)}`);
  }
}

/** What every generation must hold, and how far it must have read. */
export interface Expectation {
  readonly ledger: Ledger;
  readonly models: Readonly<Record<GenerationKind, Model>>;
  readonly ends: ReadonlyMap<string, bigint>;
}

/** All generations that are kept up to date. Resolves with their names. */
export async function checkGenerations(
  { ledger, models, ends }: Expectation,
  { database, analytics }: Stores,
  findings: Findings,
): Promise<readonly string[]> {
  const fed = await fedGenerations(database);
  for (const generation of fed) {
    const own = findings.of(nameOf(generation));
    const checked = { ledger, model: models[generation.kind], findings: own };
    try {
      await checkPositions(database, generation, ends, own);
      if (generation.kind === 'profiles') await checkPostgres(checked, database, generation.number);
      else await checkClickHouse(checked, await analytics.ofGeneration(generation.number));
    } catch (error) {
      // The others are compared all the same.
      own.add('unreadable', String(error));
    }
  }
  return fed.map(nameOf);
}

function nameOf({ kind, number }: Generation): string {
  return `${kind} ${number}`;
}

async function checkPositions(
  database: Database,
  { kind, number }: Generation,
  ends: ReadonlyMap<string, bigint>,
  findings: Pick<Findings, 'add'>,
): Promise<void> {
  const places = await database.query<Place>(
    kind === 'profiles'
      ? `select topic, partition, next_offset as offset from ${tableOf(kind, number, 'reader_positions')}`
      : `select topic, partition, to_offset as offset from ${tableOf(kind, number, 'sink_plans')} where inserted`,
  );
  const stands = new Map(places.map(({ topic, partition, offset }) => [`${topic}/${partition}`, offset]));
  for (const [place, end] of ends) {
    const at = stands.get(place) ?? 0n;
    if (at !== end) findings.add('reader behind the log', `its reader is at ${at} of ${end} in ${place}`);
  }
}

interface Place {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
}
