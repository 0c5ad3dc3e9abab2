import type { Codec } from '../../messages/codec.ts';
import type { Message } from '../../messages/message.ts';
import type { Database } from '../../stores/database/database.ts';
import { messageIn } from '../dead-letters/read-dead-letters.ts';
import { SettledDeadLetters } from '../dead-letters/settled-dead-letters.ts';

interface EditsParts {
  readonly database: Database;
  readonly codec: Codec;
}

/**
 * Forgets corrections of dead letters that are written down, and not known to be appended. They are few.
 *
 * @param isGone Whether the message is of those that are erased.
 * @returns How many were forgotten.
 */
export async function forgetBegunEdits(
  { database, codec }: EditsParts,
  isGone: (message: Message) => boolean,
): Promise<number> {
  const settled = new SettledDeadLetters(database);
  const begun = await settled.begunEdits();
  await codec.prepare(begun.map(({ value }) => value));
  const gone = begun.filter((edit) => {
    const message = messageIn(codec, edit);
    return message !== undefined && isGone(message);
  });
  await settled.forgetEdits(gone);
  return gone.length;
}
