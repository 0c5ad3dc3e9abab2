import { setTimeout as sleep } from 'node:timers/promises';
import type { LogCoordinates, TopicPartition } from '../event-log.ts';
import { faultOf, isFatal, KAFKA } from './faults.ts';
import type { Leaders } from './leaders.ts';
import type { Bounds } from '../start.ts';
import type { KafkaWire, OffsetFound, Outcome } from './wire.ts';
import { nameOf } from '../partition.ts';

const RETRY_MS = 100;

/** The current bounds of these partitions, in the order given. @throws KafkaFault where one of them is unavailable. */
export async function boundsOf(
  wire: Pick<KafkaWire, 'offsets'>,
  leaders: Leaders,
  partitions: readonly TopicPartition[],
  timeoutMs = 0,
): Promise<readonly (TopicPartition & Bounds)[]> {
  const [earliest, latest] = [
    await partitionOffsets(wire, leaders, partitions, 'earliest', timeoutMs),
    await partitionOffsets(wire, leaders, partitions, 'latest', timeoutMs),
  ];
  return partitions.map((one, i) => ({ ...one, earliest: earliest[i] as bigint, latest: latest[i] as bigint }));
}

/** These of the offsets of each partition, as `askLeaders`. */
export async function partitionOffsets(
  wire: Pick<KafkaWire, 'offsets'>,
  leaders: Leaders,
  partitions: readonly TopicPartition[],
  which: 'earliest' | 'latest',
  timeoutMs = 0,
): Promise<readonly bigint[]> {
  const ask: AskLeader<TopicPartition, OffsetFound> = (leader, led) => wire.offsets(leader, led, which);
  const found = await askLeaders(leaders, partitions, ask, `finding the ${which} offset of`, timeoutMs);
  return found.map(({ offset }) => offset);
}

/** Deletes the records before these offsets, or before the end where that is less, as `askLeaders`. */
export async function deleteBefore(
  wire: Pick<KafkaWire, 'offsets' | 'deleteRecords'>,
  leaders: Leaders,
  before: readonly LogCoordinates[],
  timeoutMs: number,
): Promise<void> {
  const ends = await partitionOffsets(wire, leaders, before, 'latest', timeoutMs);
  const places = before.map((place, i) => {
    const end = ends[i] as bigint;
    return place.offset < end ? place : { ...place, offset: end };
  });
  await askLeaders(leaders, places, (leader, led) => wire.deleteRecords(leader, led), 'deleting records of', timeoutMs);
}

type AskLeader<Asked, Answer> = (leader: number, led: readonly Asked[]) => Promise<readonly Answer[]>;

/**
 * Asks the leader of each partition. Where a leader is unknown or has changed, refreshes the leaders and retries: at least
 * once, and until the timeout. Returns the answers in the order given.
 *
 * @throws KafkaFault where one of them is unavailable.
 */
async function askLeaders<Asked extends TopicPartition, Answer extends Outcome>(
  leaders: Leaders,
  asked: readonly Asked[],
  ask: AskLeader<Asked, Answer>,
  doing: string,
  timeoutMs: number,
): Promise<readonly Answer[]> {
  const deadlineMs = performance.now() + timeoutMs;
  for (let attempt = 0; ; attempt++) {
    try {
      if (attempt > 0) await leaders.refresh();
      const answers = await Promise.all([...leaders.group(asked)].map(([leader, led]) => ask(leader, led)));
      const found = new Map(answers.flat().map((one) => [nameOf(one), one]));
      return asked.map((one) => expectAnswer(found.get(nameOf(one)), `${doing} ${nameOf(one)}`));
    } catch (error) {
      if (isFatal(error) || (attempt > 0 && performance.now() >= deadlineMs)) throw error;
    }
    if (attempt > 0) await sleep(RETRY_MS);
  }
}

/** The bytes that the leaders' copies of these partitions take; null where a leader does not tell. @throws KafkaFault */
export async function leadersBytes(
  wire: Pick<KafkaWire, 'sizes'>,
  leaders: Leaders,
  partitions: readonly TopicPartition[],
): Promise<number | null> {
  await leaders.refresh();
  const groups = [...leaders.group(partitions)];
  const answers = await Promise.all(groups.map(async ([leader, led]) => (await wire.sizes?.(leader, led)) ?? []));
  const found = answers.flat();
  return found.length < partitions.length ? null : found.reduce((sum, bytes) => sum + bytes, 0);
}

function expectAnswer<Answer extends Outcome>(answer: Answer | undefined, doing: string): Answer {
  if (answer?.error === 0) return answer;
  throw faultOf(answer?.error ?? KAFKA.LEADER_NOT_AVAILABLE, doing);
}
