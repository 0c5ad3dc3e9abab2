import { KAFKA, KafkaFault } from './faults.ts';

/** The required APIs, in the versions that both clients support. Brokers have them since Kafka 2.4. */
const REQUIRED: readonly (readonly [api: string, key: number, version: number])[] = [
  ['Produce', 0, 7],
  ['Fetch', 1, 11],
  ['ListOffsets', 2, 5],
  ['Metadata', 3, 8],
  ['OffsetCommit', 8, 7],
  ['OffsetFetch', 9, 5],
  ['FindCoordinator', 10, 2],
  ['JoinGroup', 11, 5],
  ['Heartbeat', 12, 3],
  ['LeaveGroup', 13, 3],
  ['SyncGroup', 14, 3],
  ['CreateTopics', 19, 4],
  ['DescribeConfigs', 32, 2],
];

/** @throws KafkaFault `UNSUPPORTED_VERSION`, which names the missing APIs. */
export function checkVersions(
  found: readonly { readonly apiKey: number; readonly minVersion: number; readonly maxVersion: number }[],
): void {
  const newest = new Map(found.map(({ apiKey, maxVersion }) => [apiKey, maxVersion]));
  const lacking = REQUIRED.filter(([, key, version]) => (newest.get(key) ?? -1) < version);
  if (lacking.length === 0) return;
  const names = lacking.map(([api, , version]) => `${api} ${version}`).join(', ');
  throw new KafkaFault(KAFKA.UNSUPPORTED_VERSION, `the broker is too old, Kafka 2.4 is wanted: it lacks ${names}`);
}
