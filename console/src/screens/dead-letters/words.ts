/** What a dead letter is, and why it is one, in words. Pure. */
import type { DeadLetter } from '../../api/types.ts';
import { PROBLEMS, type Words } from '../../parts/problems.ts';

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
    {
      what: 'A text has a character that no store takes',
      todo: String.raw`Look for \u0000 in the message, take it out, and send the message.`,
    },
  ],
  [
    /\b(?:22003|22P02|22008)\b/,
    { what: 'A number or a time is too large to be stored', todo: 'Correct it in the message, and send it.' },
  ],
  [
    /\b23\d{3}\b|\b469\b/,
    {
      what: 'A rule that somebody added to the database refuses it',
      todo: 'Change the rule and replay the message, or correct the message.',
    },
  ],
  [
    /times in a row/,
    { what: 'It took too long to be stored', todo: 'Replay it when there is less to do, or drop it.' },
  ],
];

/** @param error As a reader wrote it: `STORE_REJECTED: the database says 22021`. */
export function causeOf(error: string): Words {
  const [, code = ''] = /^([A-Z_]+): /.exec(error) ?? [];
  const cause = CAUSES.find(([pattern]) => pattern.test(error));
  return cause?.[1] ?? PROBLEMS[code] ?? { what: 'It could not be stored', todo: 'Correct the message, or drop it.' };
}
