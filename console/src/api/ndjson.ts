/** Answers of a JSON object a line (NDJSON). */
import { linesOfAnswer, type Request, send } from './client.ts';
import { parseJson } from './json.ts';
import type { LastLine, Raw } from './types.ts';

/** The whole lines of an answer, until it ends or is cut. */
export async function* linesUntilCut(response: Response): AsyncGenerator<string> {
  try {
    yield* linesOfAnswer(response);
  } catch (error) {
    // A connection that broke: fetch has no other error for it.
    if (!(error instanceof TypeError)) throw error;
  }
}

/** A page of lines, and what the last line says. */
export interface Lines<T> {
  readonly lines: readonly Exclude<T, LastLine>[];
  readonly end: Extract<T, LastLine>;
}

/** A bounded answer, whole. @throws ApiError */
export async function askLines<T>(request: Request<T>): Promise<Lines<Raw<T>>> {
  const response = await send(request);
  const lines: string[] = (await response.text()).split('\n').filter((line) => line !== '');
  const end = parseJson(lines.pop() ?? '{}') as Extract<Raw<T>, LastLine>;
  return { lines: lines.map((line) => parseJson(line) as Exclude<Raw<T>, LastLine>), end };
}
