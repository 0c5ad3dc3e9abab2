import { KAFKA, KafkaFault } from './faults.ts';

/** What we ask of a broker, in the version that every client of ours can speak: brokers have these since Kafka 2.4. */
const WANTED: readonly (readonly [api: string, key: number, version: number])[] = [
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

/** @throws KafkaFault `UNSUPPORTED_VERSION`, which names what the broker lacks. */
export function checkVersions(
  found: readonly { readonly apiKey: number; readonly minVersion: number; readonly maxVersion: number }[],
): void {
  const newest = new Map(found.map(({ apiKey, maxVersion }) => [apiKey, maxVersion]));
  const lacking = WANTED.filter(([, key, version]) => (newest.get(key) ?? -1) < version);
  if (lacking.length === 0) return;
  const names = lacking.map(([api, , version]) => `${api} ${version}`).join(', ');
  throw new KafkaFault(KAFKA.UNSUPPORTED_VERSION, `the broker is too old, Kafka 2.4 is wanted: it lacks ${names}`);
}
