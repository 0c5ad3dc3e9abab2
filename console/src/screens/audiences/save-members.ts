/** All members of an audience as a file. */
import { noAnswer, send } from '../../api/client.ts';
import { type Json, parseJson } from '../../api/json.ts';
import { linesOfAnswer } from '../../api/ndjson.ts';
import { operation } from '../../../../schemas/operations.ts';
import type { AudienceMember, SavedAudience } from '../../api/types.ts';
import { csvLine } from '../../../../schemas/csv-line.ts';
import { fileNameOf, TextFile } from '../../parts/text-file.ts';

interface Format {
  readonly name: string;
  readonly ending: string;
  readonly head: readonly string[];
  readonly lineOf: (line: string, member: AudienceMember) => string;
}

export const FORMATS: readonly Format[] = [
  {
    name: 'CSV',
    ending: 'csv',
    head: ['user_id,anonymous_id,internal_id'],
    lineOf: (_, { user_id: user, anonymous_id: anonymous, internal_id: internal }) =>
      csvLine([user, anonymous, internal]),
  },
  { name: 'NDJSON', ending: 'ndjson', head: [], lineOf: (line) => line },
];

/** How often a stream may be cut without a line in between before it is given up. */
const MOST_CUTS = 3;

/**
 * Reads the stream of members to its last line, going on where it was cut, and saves the file only when it is whole.
 *
 * @throws ApiError
 */
export async function saveMembers(
  { id, name }: SavedAudience,
  { ending, head, lineOf }: Format,
  tell: (users: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const file = new TextFile();
  for (const line of head) file.add(line);
  const after: { cursor?: string; after?: string } = {};
  for (let cuts = 0; cuts < MOST_CUTS; cuts++) {
    for await (const line of linesUntilCut(id, after, signal)) {
      const value = parseJson(line);
      if (isEnd(value)) {
        file.save(`${fileNameOf(name)}.${ending}`);
        return;
      }
      const member = value as unknown as AudienceMember;
      file.add(lineOf(line, member));
      after.after = member.internal_id;
      cuts = 0;
      if (file.count % 1_000 === 0) tell(file.count);
    }
  }
  throw noAnswer();
}

/** The whole lines of one answer, until it ends or is cut. */
async function* linesUntilCut(
  id: string,
  after: { cursor?: string; after?: string },
  signal: AbortSignal,
): AsyncGenerator<string> {
  const asked = operation('GET /v1/audiences/{id}/members', { path: { id }, query: { ...after } });
  const response = await send({ ...asked, signal });
  after.cursor ??= response.headers.get('Tidemark-Cursor') ?? '';
  try {
    yield* linesOfAnswer(response);
  } catch (error) {
    // A connection that broke: fetch has no other error for it.
    if (!(error instanceof TypeError)) throw error;
  }
}

function isEnd(value: Json): boolean {
  return typeof value === 'object' && value !== null && 'next_cursor' in value;
}
