/** What the service answers about dead letters, as far as the console uses it. */
import { ApiError, noAnswer, send } from './client.ts';
import { type Json, parseJson, type RawNumber } from './json.ts';

export interface Attempt {
  readonly reader: string;
  readonly error: string;
  readonly failed_at: string;
  readonly id: string;
}

export interface Letter {
  readonly id: string;
  readonly state: string;
  readonly code: string | null;
  readonly failed_at: string;
  readonly attempts: readonly Attempt[];
  readonly project_id: string | null;
  readonly message_id: string | null;
  readonly bytes: RawNumber;
  readonly settled_at: string | null;
  readonly copy: string | null;
  readonly copy_of: string | null;
}

export interface WholeLetter extends Letter {
  readonly value_base64: string;
  readonly record: Readonly<Record<string, Json>> | null;
}

export const FACETS = ['reader', 'topic', 'code', 'project', 'day'] as const;
export type Facet = (typeof FACETS)[number];

export interface LettersPage {
  readonly dead_letters: readonly Letter[];
  readonly next_cursor: string | null;
  readonly facets: Readonly<Record<Facet, readonly { readonly value: string | null; readonly count: RawNumber }[]>>;
}

export interface StoreAnswer {
  readonly accepts: boolean;
  readonly error: string | null;
}

export interface EditAnswer {
  readonly copy: string | null;
  readonly stores: { readonly profiles: StoreAnswer; readonly analytics: StoreAnswer } | null;
}

export interface Resolved {
  readonly messages: RawNumber;
  readonly still_undecodable: RawNumber;
  readonly settled_before: RawNumber;
}

export interface Progress {
  readonly done: RawNumber;
  readonly total: RawNumber;
}

export function letterPath(id: string): string {
  return `v1/admin/dead-letters/${encodeURIComponent(id)}`;
}

type Line = {
  readonly progress?: Progress | null;
  readonly result?: Resolved;
  readonly problem?: { readonly status: RawNumber; readonly title: string; readonly detail: string };
};

/** Replays or drops, and tells how far it is. Leaving the stream cancels it. @throws ApiError */
export async function resolve(
  how: 'replay' | 'drop',
  selection: Readonly<Record<string, unknown>>,
  onProgress: (progress: Progress) => void,
): Promise<Resolved> {
  const response = await send({
    method: 'POST',
    path: `v1/admin/dead-letters/${how}`,
    body: JSON.stringify(selection),
    headers: { Accept: 'application/x-ndjson' },
  });
  let rest = '';
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
    const lines = (rest + read.value).split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines) {
      const line = parseJson(text) as Line;
      if (line.result !== undefined) return line.result;
      if (line.problem !== undefined) throw problemOf(line.problem);
      if (line.progress) onProgress(line.progress);
    }
  }
  throw noAnswer();
}

function problemOf({ status, title, detail }: NonNullable<Line['problem']>): ApiError {
  return new ApiError({ status: Number(status.rawJSON), code: 'unknown', title, message: detail });
}
