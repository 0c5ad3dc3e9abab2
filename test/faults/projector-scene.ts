import { pino } from 'pino';
import { expect, onTestFinished } from 'vitest';
import type { Database } from '../../services/stores/database/database.ts';
import type { EventLog } from '../../services/event-log/event-log.ts';
import { openEventLog } from '../../services/event-log/open.ts';
import { type Identify, MESSAGE_TOPICS, topicOf, TOPICS } from '../../services/messages/message.ts';
import { SqlProfileStore } from '../../services/stores/profiles/sql-profile-store.ts';
import { Projector } from '../../services/consumers/projector/projector.ts';
import { codec, identify, recordOf } from '../support/messages/messages.ts';
import { randomProjectId } from '../support/messages/random-project.ts';
import { brokenSteps, WatchedProfiles } from './watched-profiles.ts';

const PARTITIONS = 4;
const USERS = 40;

/** An empty log with projectors, each on a log of its own as if it were another process, before one store. */
export class ProjectorScene {
  readonly #url: string;
  readonly #log: EventLog;
  readonly #database: Database;
  readonly #store: SqlProfileStore;
  readonly #projectId = randomProjectId();
  readonly #sent: Identify[] = [];
  readonly #projectors: WatchedProfiles[] = [];

  private constructor(url: string, log: EventLog, database: Database) {
    this.#url = url;
    this.#log = log;
    this.#database = database;
    this.#store = new SqlProfileStore(database);
  }

  static async open(url: string, database: Database): Promise<ProjectorScene> {
    return new ProjectorScene(url, await openLog(url), database);
  }

  /** Appends messages of all users in turn, each with a trait that no other has. */
  async append(count: number): Promise<void> {
    const messages = Array.from({ length: count }, (_, index) => this.#message(this.#sent.length + index));
    this.#sent.push(...messages);
    await this.#log.append(messages.map((message) => ({ topic: topicOf(message), ...recordOf(message) })));
  }

  /** Starts a projector; one that is `held` stops before it writes its first batch. */
  async project(held?: 'held'): Promise<WatchedProfiles> {
    const store = new WatchedProfiles(this.#database);
    if (held) store.hold();
    const log = await openLog(this.#url);
    const projector = new Projector({
      log,
      store,
      codec,
      logger: pino({ enabled: false }),
      repeatWindowMs: 86_400_000,
    });
    projector.start();
    onTestFinished(async () => {
      store.release();
      await projector.stop();
    });
    this.#projectors.push(store);
    return store;
  }

  /** Resolves once the store stands where the log ends. */
  async caughtUp(): Promise<void> {
    const ends = (await this.#log.ends(MESSAGE_TOPICS)).filter(({ offset }) => offset > 0n);
    const stand = async () => (await this.#store.positions(ends)).toSorted(byPlace).map(({ offset }) => offset);
    await expect
      .poll(stand, { timeout: 60_000, interval: 50 })
      .toEqual(ends.toSorted(byPlace).map((end) => end.offset));
  }

  /** What is wrong with what all projectors wrote together: nothing, where every message was applied once. */
  async wrong(): Promise<{ readonly steps: readonly string[]; readonly users: readonly string[] }> {
    const users: string[] = [];
    for (let user = 0; user < USERS; user++) {
      const sent = this.#sent.filter(({ userId }) => userId === nameOf(user));
      const expected = Object.assign({}, ...sent.map(({ traits }) => JSON.parse(traits) as object)) as object;
      const profile = await this.#store.find(this.#projectId, sent[0]?.userKey ?? '');
      const held = JSON.parse(profile?.traits ?? '{}') as object;
      if (Object.keys(held).length !== Object.keys(expected).length) users.push(`${nameOf(user)}: ${profile?.traits}`);
    }
    return { steps: brokenSteps(this.#projectors.flatMap(({ written }) => written)), users };
  }

  #message(index: number): Identify {
    return identify({
      projectId: this.#projectId,
      userId: nameOf(index % USERS),
      traits: JSON.stringify({ [`trait ${index}`]: index }),
      messageId: `message ${index}`,
      messageIdGiven: true,
    });
  }
}

async function openLog(url: string): Promise<EventLog> {
  const log = await openEventLog(url, { topics: TOPICS, partitions: PARTITIONS });
  onTestFinished(() => log.close());
  return log;
}

function nameOf(user: number): string {
  return `user ${user}`;
}

function byPlace(a: { topic: string; partition: number }, b: { topic: string; partition: number }): number {
  return a.topic.localeCompare(b.topic) || a.partition - b.partition;
}
