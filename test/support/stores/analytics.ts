import { randomUUID } from 'node:crypto';
import { RowChunks } from '../../../services/consumers/sink/row-chunks.ts';
import { rowsOf, rowsOfUser } from '../../../services/consumers/sink/row.ts';
import { UsersSeen } from '../../../services/consumers/sink/users-seen.ts';
import { type Identify, type Message, type Session, topicOf, type Track } from '../../../services/messages/message.ts';
import { userKeyOf } from '../../../services/messages/user-key.ts';
import { versionOf } from '../../../services/messages/version.ts';
import type {
  AnalyticsReader,
  AnalyticsWriter,
  QueryLimits,
  Rows,
} from '../../../services/stores/analytics/analytics-store.ts';
import { identify, session, track } from '../messages/messages.ts';

/** Far more than a test's question takes. */
export const AMPLE: QueryLimits = { maxMs: 60_000, maxMemoryBytes: 2 ** 32, maxRowsRead: 2 ** 40 };

const NOON = BigInt(Date.UTC(2026, 10, 20, 12)) * 1000n;

/** Makes messages of one project, by default one that no other test has, each arriving a microsecond after the last. */
export class MessageMaker {
  readonly projectId: string;
  #arrivals = 0n;

  constructor(projectId = `proj_${randomUUID()}`) {
    this.projectId = projectId;
  }

  track(given: Partial<Omit<Track, 'type'>> = {}): Track {
    return track({ ...given, ...this.#envelope(given) });
  }

  identify(given: Partial<Omit<Identify, 'type'>> = {}): Identify {
    return identify({ ...given, ...this.#envelope(given) });
  }

  session(given: Partial<Omit<Session, 'type'>> = {}): Session {
    return session({ sessionId: 's-1', ...given, ...this.#envelope(given) });
  }

  #envelope(given: Partial<Message>) {
    const { userId = 'ada' } = given;
    const receivedAt = given.receivedAt ?? NOON + this.#arrivals++;
    const timestamp = given.timestamp ?? receivedAt;
    return {
      projectId: this.projectId,
      messageId: given.messageId ?? randomUUID(),
      messageIdGiven: given.messageIdGiven ?? true,
      userKey: given.userKey ?? userKeyOf(this.projectId, userId ?? ''),
      userId,
      anonymousId: given.anonymousId ?? null,
      timestamp,
      receivedAt,
      version: given.version ?? versionOf(timestamp, receivedAt, 1),
    };
  }
}

/** The rows of messages that stand in partition 0 of their topics from this offset on. */
export function rowsFor(messages: readonly Message[], firstOffset = 0n): Rows {
  const chunks = new RowChunks();
  const seen = new UsersSeen();
  for (const [index, message] of messages.entries()) {
    seen.see(message);
    const place = { topic: topicOf(message), partition: 0, offset: firstOffset + BigInt(index) };
    chunks.addAll(rowsOf(message, place));
  }
  for (const user of seen.users()) chunks.addAll(rowsOfUser(user));
  return chunks.rows();
}

/** Inserts messages, one after another in one insert. */
export async function insert(store: AnalyticsWriter, messages: readonly Message[], firstOffset = 0n): Promise<void> {
  await store.insert([], rowsFor(messages, firstOffset));
}

/** The rows that a question with these parameters finds. */
export async function ask<T>(store: AnalyticsReader, sql: string, params: Record<string, unknown> = {}): Promise<T[]> {
  const { rows } = await store.ask({ sql, params }, AMPLE);
  return rows as readonly unknown[] as T[];
}
