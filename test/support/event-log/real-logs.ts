import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import type { EventLog } from '../../../services/event-log/event-log.ts';
import { openEventLog } from '../../../services/event-log/open.ts';
import { TOPICS } from '../../../services/messages/message.ts';
import { serverUrl } from '../../servers/server.ts';
import { temporaryFolder } from '../temporary-folder.ts';

export interface RealLog {
  readonly name: string;
  /** A new log with every topic of the service, closed when the test ends. */
  readonly open: (partitions: number) => Promise<EventLog>;
}

/** The logs that this test run has: the embedded one, and Kafka where there is a broker. */
export async function realLogs(): Promise<readonly RealLog[]> {
  const kafka = await serverUrl('kafka');
  const open = async (url: string, partitions: number): Promise<EventLog> => {
    const log = await openEventLog(url, { topics: TOPICS, partitions });
    onTestFinished(() => log.close());
    return log;
  };
  const embedded = { name: 'segments', open: async (count: number) => open(`log:${await temporaryFolder()}`, count) };
  if (kafka === undefined) return [embedded];
  const mark = kafka.includes('?') ? '&' : '?';
  const prefixed = (): string => `${kafka}${mark}topic_prefix=${randomUUID().slice(0, 8)}.`;
  return [embedded, { name: 'Kafka', open: (count) => open(prefixed(), count) }];
}
