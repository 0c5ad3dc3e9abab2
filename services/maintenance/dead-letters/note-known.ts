import type { EventLog } from '../../event-log/event-log.ts';
import type { Codec } from '../../messages/codec.ts';
import type { Queryable } from '../../stores/database/database.ts';
import { noteDeadLetters } from '../../stores/profiles/unstored-messages.ts';
import { readDeadLetters } from './read-dead-letters.ts';

export interface KnownDeadLettersParts {
  readonly log: Pick<EventLog, 'scan' | 'ends' | 'beginnings'>;
  readonly codec: Codec;
  readonly database: Queryable;
}

/**
 * Makes what is on the log as a dead letter known to the readers, where it is not: those of a version that did not record it, and
 * those that a restored backup of the database does not have. To be called before the log is read again.
 */
export async function noteKnownDeadLetters(parts: KnownDeadLettersParts): Promise<void> {
  const call = { report: () => undefined, signal: new AbortController().signal };
  for await (const { found } of readDeadLetters(parts, call)) {
    for (const reader of ['projector', 'sink'] as const) {
      const letters = found.filter(({ letter }) => letter.reader === reader);
      await noteDeadLetters(
        parts.database,
        reader,
        letters.map(({ letter: { topic, partition, offset } }) => ({ topic, partition, offset })),
      );
    }
  }
}
