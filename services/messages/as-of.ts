/** Messages that a wrong clock dated in the future, taken as of an instant. Pure. */
import type { Message, Micros } from './message.ts';
import { timeClampedIn } from './version.ts';

/**
 * Which messages are taken as of `instant`: those below these offsets that arrived after `after`, which was the present
 * when the rule was made. Offsets by `topic/partition`.
 */
export interface AsOf {
  readonly instant: Micros;
  readonly after: Micros;
  readonly below: ReadonlyMap<string, bigint>;
}

/**
 * A message as these rules take it: it took place at the instant, if not before, and among others of that instant it keeps
 * its order. When it arrived stays as recorded, and so does a time that its caller set beyond its arrival.
 */
export function readAsOf(
  message: Message,
  { topic, partition, offset }: { readonly topic: string; readonly partition: number; readonly offset: bigint },
  rules: readonly AsOf[],
): Message {
  const rule = rules.find(
    ({ after, below }) => message.receivedAt > after && offset < (below.get(`${topic}/${partition}`) ?? 0n),
  );
  if (rule === undefined) return message;
  const { timestamp, receivedAt, version } = message;
  const isLater = timestamp > rule.instant && timestamp <= receivedAt;
  return {
    ...message,
    timestamp: isLater ? rule.instant : timestamp,
    version: timeClampedIn(version, rule.instant),
  };
}

interface AsOfJson {
  readonly instant: string;
  readonly after: string;
  readonly below: Readonly<Record<string, string>>;
}

export function asOfToJson(rules: readonly AsOf[]): string {
  return JSON.stringify(
    rules.map(({ instant, after, below }): AsOfJson => {
      const offsets = Object.fromEntries([...below].map(([name, at]) => [name, String(at)]));
      return { instant: String(instant), after: String(after), below: offsets };
    }),
  );
}

export function asOfFromJson(json: string): readonly AsOf[] {
  return (JSON.parse(json) as readonly AsOfJson[]).map(({ instant, after, below }) => ({
    instant: BigInt(instant),
    after: BigInt(after),
    below: new Map(Object.entries(below).map(([name, at]) => [name, BigInt(at)])),
  }));
}
