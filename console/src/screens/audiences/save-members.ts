/** All members of an audience as CSV, as `format=csv` of the service has it: a stream of that does not say whether it was cut. */
import { noAnswer, send } from '../../api/client.ts';
import { type Json, jsonText, parseJson } from '../../api/json.ts';
import { linesUntilCut } from '../../api/ndjson.ts';
import { operation } from '../../../../schemas/operations.ts';
import type { AudienceMember, SavedAudience } from '../../api/types.ts';
import { csvLine } from '../../../../schemas/csv-line.ts';
import { fileNameOf, TextFile } from '../../parts/text-file.ts';
import { traitsFor } from '../user-columns.ts';

function cellOf(value: Json): string | null {
  return value === null || typeof value === 'string' ? value : jsonText(value);
}

/** How often a stream may be cut without a line in between before it is given up. */
const MOST_CUTS = 3;

/**
 * Reads the stream of members to its last line, going on where it was cut, and saves the file only when it is whole.
 *
 * @throws ApiError
 */
export async function saveMembers(
  { id, name, definition }: SavedAudience,
  tell: (users: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const file = new TextFile();
  const traits = traitsFor(definition);
  file.add(csvLine(['user_id', 'anonymous_id', 'internal_id', ...traits]));
  const after: Position = { traits: traits.join(',') };
  for (let cuts = 0; cuts < MOST_CUTS; cuts++) {
    for await (const line of membersAfter(id, after, signal)) {
      const value = parseJson(line);
      if (isEnd(value)) {
        file.save(`${fileNameOf(name)}.csv`);
        return;
      }
      const {
        user_id: user,
        anonymous_id: anonymous,
        internal_id: internal,
        ...member
      } = value as unknown as AudienceMember;
      const cells = traits.map((trait) => cellOf(member.traits?.[trait] ?? null));
      file.add(csvLine([user, anonymous, internal, ...cells]));
      after.after = internal;
      cuts = 0;
      if (file.count % 1_000 === 0) tell(file.count);
    }
  }
  throw noAnswer();
}

/** What a request goes on with. */
interface Position {
  readonly traits: string;
  cursor?: string;
  after?: string;
}

async function* membersAfter(id: string, after: Position, signal: AbortSignal): AsyncGenerator<string> {
  const asked = operation('GET /v1/audiences/{id}/members', { path: { id }, query: { ...after } });
  const response = await send({ ...asked, signal });
  after.cursor ??= response.headers.get('Tidemark-Cursor') ?? '';
  yield* linesUntilCut(response);
}

function isEnd(value: Json): boolean {
  return typeof value === 'object' && value !== null && 'next_cursor' in value;
}
