/** `GET /v1/users/{user_id}/export`: everything about one user, line by line. */
import { ApiError, linesOfAnswer, operation, send } from '../../api/client.ts';
import { fileNameOf, TextFile } from '../../parts/text-file.ts';
import { targetOf, type UserName } from '../user-link.ts';

/** The lines as text, but the last; fails where that is missing. @throws ApiError */
async function* exportLines(name: UserName, signal: AbortSignal): AsyncGenerator<string> {
  const response = await send({ ...operation('GET /v1/users/{user_id}/export', targetOf(name)), signal });
  for await (const line of linesOfAnswer(response)) {
    if (line.startsWith('{"type":"end"')) return;
    yield line;
  }
  throw new ApiError({
    status: 0,
    code: 'cut',
    title: 'The export was cut',
    message: 'The service stopped before the last line. Try again.',
  });
}

/** Saves everything about one user as NDJSON, only when it is whole. @throws ApiError */
export async function saveExport(name: UserName, tell: (lines: number) => void, signal: AbortSignal): Promise<void> {
  const file = new TextFile();
  for await (const line of exportLines(name, signal)) {
    file.add(line);
    if (file.count % 1_000 === 0) tell(file.count);
  }
  file.save(`user-${fileNameOf(name.id)}.ndjson`);
}
