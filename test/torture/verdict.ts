/** Opens the stores of a service that is stopped, and holds all of them against what was sent and answered. */
import { openAnalytics } from '../../services/stores/analytics/open.ts';
import { openDatabase } from '../../services/stores/database/open.ts';
import type { Database } from '../../services/stores/database/database.ts';
import { LogCheck } from './check-log.ts';
import { checkClickHouse, checkPostgres } from './check-stores.ts';
import { checkTold } from './check-told.ts';
import type { Findings } from './findings.ts';
import type { Ledger } from './ledger.ts';
import { type LoggedMessage, Model } from './model.ts';
import { readLog } from './read-log.ts';
import type { StoreUrls } from './scene.ts';
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
}

/** @param drop Messages that the checker is made to overlook: to see that it finds out. */
export async function compareStores(
  { ledger, told }: Sent,
  stores: StoreUrls,
  findings: Findings,
  drop: (message: LoggedMessage) => boolean = () => false,
): Promise<Compared> {
  const [model, logCheck] = [new Model(), new LogCheck(ledger, findings)];
  let messages = 0;
  const log = await readLog(stores.EVENT_LOG_URL, (message) => {
    if (drop(message)) return;
    messages++;
    model.add(message);
    logCheck.add(message);
  });
  logCheck.finish();
  for (const place of log.undecodable) findings.add('no message', place);
  if (log.deadLetters > 0) findings.add('dead letters', `${log.deadLetters} of them`);
  checkTold(told, model, findings);
  const checked = { ledger, model, findings };
  const database = await openDatabase(stores.PROFILES_URL);
  try {
    await checkPositions(database, log.ends, findings);
    await checkPostgres(checked, database);
  } finally {
    await database.close();
  }
  const analytics = await openAnalytics(stores.ANALYTICS_URL);
  try {
    await checkClickHouse(checked, analytics);
  } finally {
    await analytics.close();
  }
  return { messages, copies: logCheck.copies, users: model.users.size, events: model.events.size };
}

async function checkPositions(
  database: Database,
  ends: ReadonlyMap<string, bigint>,
  findings: Findings,
): Promise<void> {
  const projector = await database.query<Place>('select topic, partition, next_offset as offset from reader_positions');
  const sink = await database.query<Place>(
    'select topic, partition, to_offset as offset from sink_plans where inserted',
  );
  for (const [reader, places] of [
    ['projector', projector],
    ['sink', sink],
  ] as const) {
    const stands = new Map(places.map(({ topic, partition, offset }) => [`${topic}/${partition}`, offset]));
    for (const [place, end] of ends) {
      const at = stands.get(place) ?? 0n;
      if (at !== end) findings.add('reader behind the log', `${reader} is at ${at} of ${end} in ${place}`);
    }
  }
}

interface Place {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
}
