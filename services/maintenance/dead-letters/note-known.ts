import { noteDeadLetters } from '../../stores/profiles/unstored-messages.ts';
import { readAllDeadLetters, type ReadParts } from './read-dead-letters.ts';

/**
 * Makes what is on the log as a dead letter known to the readers, where it is not: those of a version that did not record it, and
 * those that a restored backup of the database does not have. To be called before the log is read again.
 */
export async function noteKnownDeadLetters(parts: ReadParts): Promise<void> {
  const call = { report: () => undefined, signal: new AbortController().signal };
  for await (const { found } of readAllDeadLetters(parts, call)) {
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
