/** For the projector's tests. */
import { type Message, MESSAGE_TOPICS, topicOf } from '../../../services/messages/message.ts';
import type { ProfileStore } from '../../../services/stores/profiles/profile-store.ts';
import type { MemoryLog } from '../event-log/memory-log.ts';
import { recordOf } from '../messages/messages.ts';

export function append(log: MemoryLog, messages: readonly Message[]): void {
  for (const topic of MESSAGE_TOPICS) log.records(topic, 0);
  for (const message of messages) log.put(topicOf(message), 0, recordOf(message));
}

export function overriding(store: ProfileStore, changes: Partial<ProfileStore>): ProfileStore {
  return {
    find: (...args) => store.find(...args),
    seenWith: (...args) => store.seenWith(...args),
    findPage: (...args) => store.findPage(...args),
    traitsPage: (...args) => store.traitsPage(...args),
    findWhole: (...args) => store.findWhole(...args),
    positions: (...args) => store.positions(...args),
    write: (...args) => store.write(...args),
    areRepeats: (...args) => store.areRepeats(...args),
    noteAhead: (...args) => store.noteAhead(...args),
    merge: (...args) => store.merge(...args),
    mergeAhead: (...args) => store.mergeAhead(...args),
    probe: (...args) => store.probe(...args),
    forgetRepeats: (...args) => store.forgetRepeats(...args),
    ...changes,
  };
}
