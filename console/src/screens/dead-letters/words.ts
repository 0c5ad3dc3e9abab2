/** What a dead letter is, and why it is one, in words. Pure. */
import type { DeadLetter } from '../../api/types.ts';
import { PROBLEMS, type Words, words } from '../../parts/loading/problems.ts';

/** `identify of max`, `Order Completed of ada` */
export function titleOf({ id, user_id: who, event }: Pick<DeadLetter, 'id' | 'user_id' | 'event'>): string {
  const kind = /^tidemark\.([\w-]+)/.exec(id)?.[1]?.replace('import-', 'imported ') ?? 'message';
  const what = event ?? kind;
  return who === null ? what : `${what} of ${who}`;
}

/** By what the database says, as far as a person can do something about it. */
const CAUSES: readonly (readonly [RegExp, Words])[] = [
  [
    /\b(?:22021|22P05)\b/,
    words(
      'A text has a character that no store takes',
      String.raw`Look for \u0000 in the message, take it out, and send the message.`,
    ),
  ],
  [
    /\b(?:22003|22P02|22008)\b/,
    words('A number or a time is too large to be stored', 'Correct it in the message, and send it.'),
  ],
  [
    /\b23\d{3}\b|\b469\b/,
    words(
      'A rule that somebody added to the database refuses it',
      'Change the rule and replay the message, or correct the message.',
    ),
  ],
  [/times in a row/, words('It took too long to be stored', 'Replay it when there is less to do, or drop it.')],
];

/** @param error As a reader wrote it: `STORE_REJECTED: the database says 22021`. */
export function causeOf(error: string): Words {
  const [, code = ''] = /^([A-Z_]+): /.exec(error) ?? [];
  const cause = CAUSES.find(([pattern]) => pattern.test(error));
  return cause?.[1] ?? PROBLEMS[code] ?? words('It could not be stored', 'Correct the message, or drop it.');
}
