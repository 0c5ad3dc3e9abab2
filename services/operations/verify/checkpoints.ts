/** The readers' checkpoints, and their counts of applied messages. */
import type { Queryable } from '../../stores/database/database.ts';
import type { TopicPartition } from '../../event-log/event-log.ts';
import { nameOf } from '../../event-log/partition.ts';
import type { Hour } from '../../messages/day-and-hour.ts';
import type { ReaderName } from '../../stores/profiles/profile-store.ts';
import type { Period } from './period.ts';

/** The offsets of a partition whose messages a reader's store must have: below it is unknown, above it not yet read. */
export interface CheckedRange {
  /** Inclusive. */
  readonly from: bigint;
  /** Exclusive. */
  readonly to: bigint;
}

export interface Checkpoints {
  /** By partition (`nameOf`), without those that a reader has not begun. */
  readonly checked: Readonly<Record<ReaderName, ReadonlyMap<string, CheckedRange>>>;
  /** Messages and repeats that the projector has passed, by `cellOf`. */
  readonly applied: ReadonlyMap<string, AppliedCell>;
}

/** Messages of one project in one partition that arrived within an hour. */
export interface CellName extends TopicPartition {
  readonly projectId: string;
  readonly hour: Hour;
}

export interface AppliedCell extends CellName {
  readonly count: number;
}

export function cellOf({ topic, partition, projectId, hour }: CellName): string {
  return `${topic}/${partition}/${hour}/${projectId}`;
}

/** The partition of a name that `nameOf` made. */
export function partitionNamed(name: string): TopicPartition {
  const cut = name.lastIndexOf('/');
  return { topic: name.slice(0, cut), partition: Number(name.slice(cut + 1)) };
}

/** Up to where a reader's store must have the messages of a partition. */
export function checkedUpTo(checked: ReadonlyMap<string, CheckedRange>, partition: TopicPartition): bigint {
  return checked.get(nameOf(partition))?.to ?? 0n;
}

/** Those of a topic, by the number of the partition. */
export function checkedIn(
  checked: ReadonlyMap<string, CheckedRange>,
  topic: string,
): ReadonlyMap<number, CheckedRange> {
  const entries = [...checked].map(([name, one]) => [partitionNamed(name), one] as const);
  return new Map(entries.filter(([at]) => at.topic === topic).map(([at, one]) => [at.partition, one]));
}

/** The positions and counts of the projector are consistent: they are written together and read in one statement. */
export async function readCheckpoints(profiles: Queryable, plans: Queryable, period: Period): Promise<Checkpoints> {
  const rows = await profiles.query<ProjectorRow>(PROJECTOR, [
    period.since ?? null,
    period.until ?? null,
    period.projectId ?? null,
  ]);
  const checked = new Map<string, CheckedRange>();
  const applied = new Map<string, AppliedCell>();
  for (const { topic, partition, next_offset: to, counted_from: from, project_id: projectId, hour, count } of rows) {
    if (to !== null) checked.set(nameOf({ topic, partition }), { from: from ?? to, to });
    if (projectId === null || hour === null) continue;
    const name = { topic, partition, projectId, hour };
    applied.set(cellOf(name), { ...name, count: Number(count) });
  }
  return { checked: { projector: checked, sink: await readSink(plans) }, applied };
}

interface ProjectorRow extends TopicPartition {
  readonly next_offset: bigint | null;
  readonly counted_from: bigint | null;
  readonly project_id: string | null;
  readonly hour: number | null;
  readonly count: bigint | null;
}

// Counts of a partition without a position remain from a position that was lost.
const PROJECTOR = `
  select topic, partition, next_offset, counted_from, project_id, hour, messages + repeats as count
  from {reader_positions}
  full join (
    select * from {applied_counts}
    where ($1::int4 is null or hour >= $1) and ($2::int4 is null or hour < $2) and ($3::text is null or project_id = $3)
  ) as counted using (topic, partition)`;

async function readSink(database: Queryable): Promise<ReadonlyMap<string, CheckedRange>> {
  const rows = await database.query<TopicPartition & { readonly from: bigint | null; readonly to: bigint }>(SINK);
  return new Map(rows.map((row) => [nameOf(row), { from: fromOf(row), to: row.to }]));
}

/** Only identifies had no rows in earlier versions. Nothing is known about them while the sink has not moved since. */
function fromOf({
  topic,
  from,
  to,
}: {
  readonly topic: string;
  readonly from: bigint | null;
  readonly to: bigint;
}): bigint {
  return topic.endsWith('identify') ? (from ?? to) : 0n;
}

const SINK = `
  select topic, partition, rows_from as "from", case when inserted then to_offset else from_offset end as "to"
  from {sink_plans}`;
