/** `GET /v1/admin/partitions`: how far each partition of the log has been read. */
import type { Answer as Body } from '../../../../schemas/operations.ts';
import type { EventLog } from '../../../event-log/event-log.ts';
import { nameOf } from '../../../event-log/partition.ts';
import type { Refusal } from '../../../http/problems.ts';
import type { Answer } from '../../../http/route.ts';
import { MESSAGE_TOPICS } from '../../../messages/message.ts';
import type { LiveGenerations } from '../../../stores/generations/live-generations.ts';
import { type Page, pageOf } from '../../query.ts';

export interface PartitionParts {
  readonly log: Pick<EventLog, 'ends' | 'beginnings'>;
  readonly progress: Pick<LiveGenerations, 'progress'>;
}

/** `unread`: by what reads it, how many records it has not read yet. */
type PartitionStatus = Body<'GET /v1/admin/partitions'>['partitions'][number];

/** By topic and number. @throws TidemarkError `LOG_UNAVAILABLE`, `STORE_UNAVAILABLE`. */
export async function answerPartitions(parts: PartitionParts, query: Page): Promise<Answer | Refusal> {
  const page = pageOf(await partitionsOf(parts), query, nameOf);
  if (!page.ok) return page.refusal;
  const { items, next } = page.value;
  return { status: 200, body: JSON.stringify({ partitions: items, next_cursor: next }) };
}

async function partitionsOf({ log, progress }: PartitionParts): Promise<readonly PartitionStatus[]> {
  const topics: readonly string[] = MESSAGE_TOPICS;
  const [beginnings, ends, positions] = await Promise.all([
    log.beginnings(topics),
    log.ends(topics),
    progress.progress(),
  ]);
  const begun = new Map(beginnings.map((one) => [nameOf(one), one.offset]));
  const unreadIn = (reader: 'projector' | 'sink') => {
    const read = new Map(positions[reader].map((one) => [nameOf(one), one.offset]));
    return (end: (typeof ends)[number]): number => {
      const from = read.get(nameOf(end)) ?? begun.get(nameOf(end)) ?? end.offset;
      return from < end.offset ? Number(end.offset - from) : 0;
    };
  };
  const [projector, sink] = [unreadIn('projector'), unreadIn('sink')];
  return ends
    .toSorted((a, b) => topics.indexOf(a.topic) - topics.indexOf(b.topic) || a.partition - b.partition)
    .map((end) => {
      const { topic, partition, offset } = end;
      return { topic, partition, end: String(offset), unread: { profiles: projector(end), analytics: sink(end) } };
    });
}
