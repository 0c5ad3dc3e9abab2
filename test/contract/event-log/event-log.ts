import { randomUUID } from 'node:crypto';
import { describe, onTestFinished } from 'vitest';
import { testAppending } from './event-log-append.ts';
import { testCutting } from './event-log-cut.ts';
import { type EventLogAbilities, type MakeBench, type OpenLog, PARTITIONS } from './event-log-bench.ts';
import { testGroups } from './event-log-groups.ts';
import { testReading } from './event-log-read.ts';
import { testScanning } from './event-log-scan.ts';

/** What every event log must do, as its port says. */
export function testEventLog(name: string, open: OpenLog, abilities: EventLogAbilities): void {
  const makeBench: MakeBench = async () => {
    const [a, b] = [`a-${randomUUID()}`, `b-${randomUUID()}`];
    const log = await open({ topics: [a, b], partitions: PARTITIONS });
    onTestFinished(() => log.close());
    const start = (): Promise<[]> => Promise.resolve([]);
    return { log, a, b, reader: (options) => log.openReader({ group: randomUUID(), topics: [a], start, ...options }) };
  };

  describe(`${name}, an event log`, () => {
    testAppending(makeBench, abilities);
    testReading(makeBench);
    testScanning(makeBench);
    testGroups(makeBench, abilities);
    testCutting(makeBench, abilities);
  });
}
