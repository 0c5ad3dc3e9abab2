import type { TopicPartition } from '../../event-log/event-log.ts';
import type { Hour } from '../../messages/day-and-hour.ts';
import type { AppliedCount } from '../../stores/profiles/profile-store.ts';

/** A message, and whether it repeats an earlier one. */
export interface AppliedMessage extends TopicPartition {
  readonly projectId: string;
  /** The hour of its arrival. */
  readonly hour: Hour;
  readonly isRepeat: boolean;
}

type Count = { -readonly [Name in keyof AppliedCount]: AppliedCount[Name] };

/** Counts messages by partition, project and hour. Pure. */
export function countApplied(messages: Iterable<AppliedMessage>): readonly AppliedCount[] {
  const counts = new AppliedCounts();
  for (const message of messages) counts.add(message);
  return counts.list();
}

/** Counts of messages by partition, project and hour, as they come. */
export class AppliedCounts {
  readonly #counts = new Map<string, Count>();
  // Most messages of a batch have the same partition, project and hour.
  #last: Count | undefined;

  add(message: AppliedMessage): void {
    if (this.#last === undefined || !isOf(this.#last, message)) this.#last = countFor(this.#counts, message);
    if (message.isRepeat) this.#last.repeats++;
    else this.#last.messages++;
  }

  list(): readonly AppliedCount[] {
    return [...this.#counts.values()];
  }
}

function isOf(count: Count, { topic, partition, projectId, hour }: AppliedMessage): boolean {
  return count.hour === hour && count.partition === partition && count.projectId === projectId && count.topic === topic;
}

function countFor(counts: Map<string, Count>, { topic, partition, projectId, hour }: AppliedMessage): Count {
  const key = `${topic}/${partition}/${hour}/${projectId}`;
  let count = counts.get(key);
  if (count === undefined) {
    count = { topic, partition, projectId, hour, messages: 0, repeats: 0 };
    counts.set(key, count);
  }
  return count;
}
