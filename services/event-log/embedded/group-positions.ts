/** What the groups have committed: a note for each. */
import type { Position } from '../event-log.ts';
import { nameOf } from '../partition.ts';
import type { SegmentStore } from './segments/segment-store.ts';
import type { SegmentTransaction } from './segments/segment-transaction.ts';

/** A position as JSON can hold it. */
interface CommittedPosition extends Omit<Position, 'offset'> {
  readonly offset: string;
}

export function committedIn(state: Pick<SegmentStore, 'note'>, group: string): readonly Position[] {
  const noted = state.note<readonly CommittedPosition[]>(noteOf(group)) ?? [];
  return noted.map((position) => ({ ...position, offset: BigInt(position.offset) }));
}

/** Merges positions into what a group has committed. */
export function commitIn(transaction: SegmentTransaction, group: string, positions: readonly Position[]): void {
  const all = [...committedIn(transaction, group), ...positions];
  const merged = new Map(all.map((position) => [nameOf(position), position]));
  const noted: readonly CommittedPosition[] = [...merged.values()].map(({ topic, partition, offset, identity }) => {
    return { topic, partition, offset: String(offset), identity };
  });
  transaction.putNote(noteOf(group), noted);
}

function noteOf(group: string): string {
  return `committed/${group}`;
}
