import { setTimeout as sleep } from 'node:timers/promises';
import type { TopicPartition } from '../event-log.ts';
import { faultOf, isFatal, KAFKA } from './faults.ts';
import type { Leaders } from './leaders.ts';
import type { Bounds } from './start.ts';
import type { KafkaWire } from './wire.ts';
import { nameOf } from '../partition.ts';

const OFFSETS_RETRY_MS = 100;

/** The bounds of these partitions now, in the order given. @throws KafkaFault where one of them cannot be had. */
export async function boundsOf(
  wire: Pick<KafkaWire, 'offsets'>,
  leaders: Leaders,
  partitions: readonly TopicPartition[],
  patienceMs = 0,
): Promise<readonly (TopicPartition & Bounds)[]> {
  const [earliest, latest] = [
    await partitionOffsets(wire, leaders, partitions, 'earliest', patienceMs),
    await partitionOffsets(wire, leaders, partitions, 'latest', patienceMs),
  ];
  return partitions.map((one, i) => ({ ...one, earliest: earliest[i] as bigint, latest: latest[i] as bigint }));
}

/** Asks who leads where a leader is not known or is one no longer, and tries again: once, and for as long as told. */
export async function partitionOffsets(
  wire: Pick<KafkaWire, 'offsets'>,
  leaders: Leaders,
  partitions: readonly TopicPartition[],
  which: 'earliest' | 'latest',
  patienceMs = 0,
): Promise<readonly bigint[]> {
  const deadlineMs = performance.now() + patienceMs;
  for (let attempt = 0; ; attempt++) {
    try {
      if (attempt > 0) await leaders.refresh();
      return await listOffsets(wire, leaders, partitions, which);
    } catch (error) {
      if (isFatal(error) || (attempt > 0 && performance.now() >= deadlineMs)) throw error;
    }
    if (attempt > 0) await sleep(OFFSETS_RETRY_MS);
  }
}

async function listOffsets(
  wire: Pick<KafkaWire, 'offsets'>,
  leaders: Leaders,
  partitions: readonly TopicPartition[],
  which: 'earliest' | 'latest',
): Promise<readonly bigint[]> {
  const groups = [...leaders.group(partitions)];
  const answers = await Promise.all(groups.map(([leader, led]) => wire.offsets(leader, led, which)));
  const found = new Map(answers.flat().map((one) => [nameOf(one), one]));
  return partitions.map((one) => {
    const answer = found.get(nameOf(one));
    const error = answer === undefined ? KAFKA.LEADER_NOT_AVAILABLE : answer.error;
    if (answer === undefined || error !== 0) throw faultOf(error, `finding the ${which} offset of ${nameOf(one)}`);
    return answer.offset;
  });
}
