import { changeOf } from '../../consumers/projector/fold.ts';
import { RowChunks } from '../../consumers/sink/row-chunks.ts';
import { rowsOf, rowsOfUser } from '../../consumers/sink/row.ts';
import { UsersSeen } from '../../consumers/sink/users-seen.ts';
import type { Message, MessageTopic } from '../../messages/message.ts';
import { hasCode } from '../../runtime/errors.ts';
import type { AnalyticsGenerations } from '../../stores/analytics/analytics-store.ts';
import type { Database } from '../../stores/database/database.ts';
import { LiveGenerations } from '../../stores/generations/live-generations.ts';
import { SqlProfileStore } from '../../stores/profiles/sql-profile-store.ts';

/** Whether a store would take a message, and what it says where it would not. */
export interface StoreTrial {
  readonly accepts: boolean;
  readonly error: string | null;
}

export interface Trial {
  readonly profiles: StoreTrial;
  readonly analytics: StoreTrial;
}

export interface TrialParts {
  readonly database: Database;
  readonly analytics: Pick<AnalyticsGenerations, 'ofGeneration'>;
}

/** Tries a message out on the live stores of its project, which are left as they were. */
export class TrialStores {
  readonly #parts: TrialParts;
  readonly #live: LiveGenerations;

  constructor(parts: TrialParts) {
    this.#parts = parts;
    this.#live = new LiveGenerations(parts.database);
  }

  /** @throws TidemarkError `STORE_UNAVAILABLE`, `STORE_TIMEOUT`, retryable. */
  async tryOut(message: Message, topic: MessageTopic): Promise<Trial> {
    const { projectId } = message;
    const [profiles, analytics] = [
      await this.#live.numberOf('profiles', projectId),
      await this.#live.numberOf('analytics', projectId),
    ];
    return {
      profiles: await trialOf(async () => {
        await new SqlProfileStore(this.#parts.database, profiles).tryOut([changeOf(message)]);
      }),
      analytics: await trialOf(async () => {
        const store = await this.#parts.analytics.ofGeneration(analytics);
        await store.tryInsert(rowsFor(message, topic));
      }),
    };
  }
}

async function trialOf(run: () => Promise<void>): Promise<StoreTrial> {
  try {
    await run();
    return { accepts: true, error: null };
  } catch (error) {
    if (!hasCode(error, 'STORE_REJECTED') && !hasCode(error, 'MESSAGE_UNDECODABLE')) throw error;
    return { accepts: false, error: `${error.code}: ${error.message}` };
  }
}

function rowsFor(message: Message, topic: MessageTopic): ReturnType<RowChunks['rows']> {
  const chunks = new RowChunks();
  chunks.addAll(rowsOf(message, { topic, partition: 0, offset: 0n }));
  const users = new UsersSeen();
  users.see(message);
  for (const seen of users.users()) chunks.addAll(rowsOfUser(seen));
  return chunks.rows();
}
