/** Dead letters, replayed or dropped: the answer comes in lines, so that how far it is can be shown. */
import { ApiError, linesOfAnswer, noAnswer, send } from './client.ts';
import { parseJson, type RawNumber } from './json.ts';
import { type Body, operation } from '../../../schemas/operations.ts';
import type { SettledDeadLetters } from './types.ts';

export type Selection = Body<'POST /v1/admin/dead-letters/replay'>;

export interface Progress {
  readonly done: RawNumber;
  readonly total: RawNumber;
}

type StreamLine = {
  readonly progress?: Progress | null;
  readonly result?: SettledDeadLetters;
  readonly problem?: { readonly status: RawNumber; readonly title: string; readonly detail: string };
};

/** Replays or drops, and tells how far it is. Leaving the stream cancels it. @throws ApiError */
export async function replayOrDrop(
  how: 'replay' | 'drop',
  selection: Selection,
  onProgress: (progress: Progress) => void,
): Promise<SettledDeadLetters> {
  const headers = { Accept: 'application/x-ndjson' };
  const response = await send({ ...operation(`POST /v1/admin/dead-letters/${how}`, { body: selection }), headers });
  for await (const text of linesOfAnswer(response)) {
    const line = parseJson(text) as StreamLine;
    if (line.result !== undefined) return line.result;
    if (line.problem !== undefined) throw problemOf(line.problem);
    if (line.progress) onProgress(line.progress);
  }
  throw noAnswer();
}

function problemOf({ status, title, detail }: NonNullable<StreamLine['problem']>): ApiError {
  return new ApiError({ status: Number(status.rawJSON), code: 'unknown', title, message: detail });
}
