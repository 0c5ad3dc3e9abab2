/** Answers of a JSON object a line (NDJSON). */
import { type Request, send } from './client.ts';
import { parseJson } from './json.ts';

/** The whole lines as text, as they come. @throws TypeError where the connection breaks. */
export async function* linesOfAnswer(response: Response): AsyncGenerator<string> {
  if (response.body === null) return;
  let rest = '';
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const lines = (rest + read.value).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } finally {
    // Whoever stops early needs no more of it.
    await reader.cancel().catch(() => undefined);
  }
}

/** A page of lines. @param E What the last line says. */
export interface Lines<T, E> {
  readonly lines: readonly T[];
  readonly end: E;
}

/** A bounded answer, whole. @throws ApiError */
export async function askLines<T, E>(request: Request): Promise<Lines<T, E>> {
  const response = await send(request);
  const lines: string[] = (await response.text()).split('\n').filter((line) => line !== '');
  const end = parseJson(lines.pop() ?? '{}') as E;
  return { lines: lines.map((line) => parseJson(line) as T), end };
}
