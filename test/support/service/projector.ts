/** For the projector's tests. */
import { type Message, MESSAGE_TOPICS, topicOf } from '../../../services/messages/message.ts';
import type { SqlProfileStore } from '../../../services/stores/profiles/sql-profile-store.ts';
import type { MemoryLog } from '../event-log/memory-log.ts';
import { recordOf } from '../messages/messages.ts';

export function append(log: MemoryLog, messages: readonly Message[]): void {
  for (const topic of MESSAGE_TOPICS) log.records(topic, 0);
  for (const message of messages) log.put(topicOf(message), 0, recordOf(message));
}

/** The store, with these methods in place of its own. */
export function overriding(store: SqlProfileStore, changes: Partial<SqlProfileStore>): SqlProfileStore {
  return new Proxy(store, {
    get: (target, name: keyof SqlProfileStore) => changes[name] ?? target[name].bind(target),
  });
}
