import { type DeadLetter, DEAD_LETTER_TOPIC } from '../../messages/message.ts';
import { type FollowedParts, followDeadLetters, type FollowOptions } from './follow-dead-letters.ts';
import { lettersAt, type LettersOnLogParts } from './letters-on-log.ts';
import { type DeadLetterSummary, readListed } from './listing.ts';
import { parseCoordinates, type RecordCoordinates } from './record-coordinates.ts';
import { deadLetterUnknown, idsOf } from './selection.ts';

/** A message of dead letters, and its last dead letter as the log has it. */
export interface FoundDeadLetter {
  readonly summary: DeadLetterSummary;
  readonly letter: DeadLetter;
}

/** @param id That of the message, or of its dead letter. @throws TidemarkError `DEAD_LETTER_UNKNOWN`. */
export async function findDeadLetter(
  parts: FollowedParts,
  id: string,
  options: FollowOptions,
): Promise<FoundDeadLetter> {
  await followDeadLetters(parts, options);
  const messages = [...(await messagesNamed(parts, idsOf([id]), options.signal)).values()];
  const [found] = await readListed(parts.database, { selection: {}, messages, state: 'any' }, 1);
  const at = parseCoordinates(found?.summary.attempts.at(-1)?.id ?? '');
  const [letter] = at === undefined ? [] : (await lettersAt(parts, [at], options.signal)).values();
  if (found === undefined || letter === undefined) throw deadLetterUnknown(id);
  return { summary: found.summary, letter };
}

/** The messages that these ids name, by the id; the id of a dead letter names its message. */
export async function messagesNamed(
  parts: LettersOnLogParts,
  ids: ReadonlySet<string>,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, RecordCoordinates>> {
  const places = [...ids].flatMap((id) => parseCoordinates(id) ?? []);
  const letters = await lettersAt(
    parts,
    places.filter(({ topic }) => topic === DEAD_LETTER_TOPIC),
    signal,
  );
  return new Map(
    [...ids].flatMap((id) => {
      const message = letters.get(id) ?? parseCoordinates(id);
      return message === undefined ? [] : [[id, message] as const];
    }),
  );
}
