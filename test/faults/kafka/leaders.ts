/** Reads and moves the leaders of a topic's partitions, by kafkajs' admin on connections of its own. */
import type { Admin } from 'kafkajs';
import { expect } from 'vitest';
import { rawKafka } from './raw-reader.ts';

/** In the order of the partitions. */
export async function leadersOf(brokers: readonly string[], topic: string): Promise<readonly number[]> {
  return (await partitionsOf(brokers, topic)).map(({ leader }) => leader);
}

/** Moves every partition to the brokers that do not lead it, so that another must. Resolves once it is done. */
export async function moveLeaders(brokers: readonly string[], topic: string, ids: readonly number[]): Promise<void> {
  const partitions = await partitionsOf(brokers, topic);
  const partitionAssignment = partitions.map(({ partitionId: partition, leader }) => {
    return { partition, replicas: ids.filter((id) => id !== leader) };
  });
  await ask(brokers, (admin) => admin.alterPartitionReassignments({ topics: [{ topic, partitionAssignment }] }));
  await inSync(brokers, topic, ids.length - 1);
}

/** Resolves once every partition has this number of replicas, all in sync, and one of them leads. */
export async function inSync(brokers: readonly string[], topic: string, replicas: number): Promise<void> {
  const settled = async (): Promise<boolean> =>
    (await partitionsOf(brokers, topic)).every(
      (one) => one.replicas.length === replicas && one.isr.length === replicas && one.replicas.includes(one.leader),
    );
  await expect.poll(settled, { timeout: 60_000, interval: 100 }).toBe(true);
}

async function partitionsOf(brokers: readonly string[], topic: string) {
  const { topics } = await ask(brokers, (admin) => admin.fetchTopicMetadata({ topics: [topic] }));
  return (topics[0]?.partitions ?? []).toSorted((one, other) => one.partitionId - other.partitionId);
}

/** A connection for every question: kafkajs does not let go of one whose broker is gone. */
async function ask<T>(brokers: readonly string[], question: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = rawKafka(brokers).admin();
  await admin.connect();
  try {
    return await question(admin);
  } finally {
    await admin.disconnect();
  }
}
