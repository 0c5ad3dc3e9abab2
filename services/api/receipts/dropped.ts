import { isBlank } from '../../event-log/blank.ts';
import type { Codec } from '../../messages/codec.ts';
import { forgottenIn } from '../../operations/erasure/forgotten-records.ts';
import { userNamed, type ErasedUsers } from '../../stores/erasures/erased-users.ts';
import type { LiveParts } from '../live/live-reader.ts';
import type { RecordPosition } from './wanted-positions.ts';

export type DroppedParts = Pick<LiveParts, 'log' | 'leftOut'> & {
  readonly codec: LiveParts['codec'] & Pick<Codec, 'decodeDeadLetter' | 'decodeSnapshot'>;
};

/** A receipt of a batch may name more partitions: these are looked at. */
const MOST_PLACES = 64;

/**
 * Whether a message was left out since its person is forgotten: of what a receipt names, the last message of each partition.
 * Nothing is read where nobody of the project was ever forgotten.
 */
export async function isDropped(
  { log, codec, leftOut }: DroppedParts,
  projectId: string,
  places: readonly RecordPosition[],
): Promise<boolean> {
  const users = await leftOut?.();
  if (users === undefined || !projectsOf(users).has(projectId)) return false;
  const last = places.filter(({ offset }) => offset > 0n).slice(0, MOST_PLACES);
  const ranges = last.map(({ offset, ...at }) => ({ ...at, from: offset - 1n, to: offset }));
  for await (const piece of log.scan(ranges, { withBlank: true })) {
    if (piece.records.some(isBlank)) return true;
    if ((await forgottenIn(codec, piece, users)).length > 0) return true;
  }
  return false;
}

const PROJECTS = new WeakMap<ErasedUsers, ReadonlySet<string>>();

function projectsOf(users: ErasedUsers): ReadonlySet<string> {
  let projects = PROJECTS.get(users);
  if (projects === undefined)
    PROJECTS.set(users, (projects = new Set([...users.keys()].map((name) => userNamed(name).projectId))));
  return projects;
}
