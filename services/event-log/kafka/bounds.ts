import { setTimeout as sleep } from 'node:timers/promises';
import type { TopicPartition } from '../event-log.ts';
import { faultOf, isFatal, KAFKA } from './faults.ts';
import type { Leaders } from './leaders.ts';
import type { Bounds } from '../start.ts';
import type { KafkaWire } from './wire.ts';
import { nameOf } from '../partition.ts';

const OFFSETS_RETRY_MS = 100;

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

/** Where a leader is unknown or has changed, refreshes the leaders and retries: at least once, and until the timeout. */
export async function partitionOffsets(
  wire: Pick<KafkaWire, 'offsets'>,
  leaders: Leaders,
  partitions: readonly TopicPartition[],
  which: 'earliest' | 'latest',
  timeoutMs = 0,
): Promise<readonly bigint[]> {
  const deadlineMs = performance.now() + timeoutMs;
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
