import { Readable } from 'node:stream';
import type { Call } from '../../http/call.ts';
import type { ConcurrencyLimiter } from '../../http/concurrency-limiter.ts';
import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import type { Micros } from '../../messages/message.ts';
import { EARLIEST } from '../../messages/timestamp.ts';
import type { Project } from '../../stores/projects/project-store.ts';
import { readableUntil } from '../../questions/saved/readable-history.ts';
import type { ChangesWatch } from './changes-watch.ts';
import { BEHIND_ALL } from './cursor.ts';
import { NO_AUDIENCE } from './saved.ts';
import {
  type ChangesRequest,
  changesAnswer,
  changesWanted,
  linesOfChanges,
  readChangesRequest,
  type StreamParts,
} from './streams.ts';

export interface FollowParts extends StreamParts {
  readonly changesWatch: ChangesWatch;
}

export interface FollowLimits {
  /** Bounds the streams that are being read. */
  readonly streams: Pick<ConcurrencyLimiter, 'admit'>;
  /** Bounds the requests that wait, which hold no stream. */
  readonly waits: Pick<ConcurrencyLimiter, 'admit'>;
}

/** `GET /v1/audiences/:id/changes`: with `wait`, once there are changes or the time is over. */
export async function answerFollow(parts: FollowParts, limits: FollowLimits, call: Call): Promise<Answer | Refusal> {
  const request = await readChangesRequest(parts, call);
  if ('refused' in request) return request;
  const { project, res: client } = call;
  const { id } = request.audience;
  const { waitMs } = request;
  const stream = (): Refusal | Promise<Answer> => limits.streams.admit(call) ?? changesAnswer(parts, project, request);
  if (waitMs === 0) return stream();
  const refusal = limits.waits.admit(call);
  if (refusal !== undefined) return refusal;
  // Before analytics: what becomes readable in between is seen by both, not by neither.
  const known = (await parts.saved.changesReadableAt([id])).get(id);
  if (known === undefined) return NO_AUDIENCE;
  const until = await readableUntil(parts, project.id, id);
  if (!hasAll(request, known) && (await hasChanges(parts, project, request, until))) return stream();
  const after = later(known ?? EARLIEST, request.at);
  const outcome = await parts.changesWatch.wait({ audienceId: id, after }, { waitMs, client });
  if (outcome === 'deleted') return NO_AUDIENCE;
  return outcome === 'changed' ? stream() : linesOfChanges(parts, Readable.from([]), request, until);
}

/**
 * Whether the caller has every change of an audience that is followed, whose changes can be read once that is noted. Up to
 * when they can be read is then later than its last change, and says nothing.
 */
function hasAll({ audience, at, after }: ChangesRequest, known: Micros | null): boolean {
  return audience.isFollowed && known !== null && (known < at || (known === at && after === BEHIND_ALL));
}

/** Reads one line. A caller that is up to date, like a following job, is answered without a read. */
async function hasChanges(
  parts: StreamParts,
  project: Project,
  request: ChangesRequest,
  until: Micros | null,
): Promise<boolean> {
  const { at, after } = request;
  if (until === null || at > until || (at === until && after === BEHIND_ALL)) return false;
  for await (const chunk of await changesWanted(parts, project, { ...request, limit: 1 }, until)) {
    if (chunk.length > 0) return true;
  }
  return false;
}

function later(one: Micros, other: Micros): Micros {
  return one > other ? one : other;
}
