/** Answers of a JSON object a line (NDJSON). */
import { type Request, send } from './client.ts';
import { parseJson } from './json.ts';
import type { LastLine, Raw } from './types.ts';

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
