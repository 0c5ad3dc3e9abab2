import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { LogReader } from '../../../services/event-log/event-log.ts';
import { AT_ONCE, PATIENT, placeOf, readCount, records, until } from '../../support/event-log/event-log.ts';
import { type EventLogAbilities, type MakeBench, PARTITIONS } from './event-log-bench.ts';

export function testGroups(makeBench: MakeBench, { oneMemberHoldsAll }: EventLogAbilities): void {
  describe('groups', () => {
    test('groups read independently of each other', async () => {
      const { log, a, reader } = await makeBench();
      await log.append(records(a, 20));

      const [one, other] = [await reader({ group: randomUUID() }), await reader({ group: randomUUID() })];

      expect(await readCount(one, 20)).toHaveLength(20);
      expect(await readCount(other, 20)).toHaveLength(20);
    });

    test('groups give every partition to one member, none to two', async () => {
      const { reader } = await makeBench();
      const group = randomUUID();
      const members = [await reader({ group }), await reader({ group })];

      await until(async () => (await held(members)).length === PARTITIONS);

      const places = await held(members);
      expect(new Set(places.map(({ partition }) => partition)).size).toBe(PARTITIONS);
    });

    test.runIf(oneMemberHoldsAll)('groups let one member read and the others stand by', async () => {
      const { log, a, reader } = await makeBench();
      const group = randomUUID();
      await log.append(records(a, 20));
      const holder = await reader({ group });
      await readCount(holder, 20);

      const standby = await reader({ group });

      expect(await standby.poll({ ...PATIENT, maxWaitMs: 100 })).toEqual([]);
      expect(standby.assigned()).toEqual([]);
      expect(holder.assigned()).toHaveLength(PARTITIONS);
    });

    test('groups hand everything to the member that is left', async () => {
      const { log, a, reader } = await makeBench();
      const group = randomUUID();
      const appended = await log.append(records(a, 20));
      const [leaver, heir] = [await reader({ group }), await reader({ group })];
      await readCount(leaver, 1);

      await leaver.close();

      const read = await readCount(heir, 20);
      expect(heir.assigned()).toHaveLength(PARTITIONS);
      expect(new Set(read.map(placeOf))).toEqual(new Set(appended.map(placeOf)));
    });

    test('groups ask the member that takes over where to start', async () => {
      const { log, a, reader } = await makeBench();
      const group = randomUUID();
      await log.append(records(a, 20));
      const [leaver, asked] = [await reader({ group }), [] as number[]];
      await readCount(leaver, 1);
      const heir = await reader({
        group,
        start: (assigned) => Promise.resolve(asked.push(assigned.length)).then(() => []),
      });

      await leaver.close();
      await readCount(heir, 20);

      expect(asked.at(-1)).toBe(PARTITIONS);
    });

    test('groups lose a member whose poll waits: it resolves empty, later ones too', async () => {
      const { reader } = await makeBench();
      const opened = await reader();
      await opened.poll(AT_ONCE);

      const waiting = opened.poll(PATIENT);
      await Promise.all([opened.close(), opened.close()]);

      expect(await waiting).toEqual([]);
      expect(await opened.poll(PATIENT)).toEqual([]);
      expect(opened.assigned()).toEqual([]);
    });

    test('groups lose their members when the log is closed', async () => {
      const { log, reader } = await makeBench();
      const opened = await reader();
      await opened.poll(AT_ONCE);

      const waiting = opened.poll(PATIENT);
      await log.close();

      expect(await waiting).toEqual([]);
    });
  });
}

/** What each member holds after a poll. */
async function held(members: readonly LogReader[]) {
  await Promise.all(members.map((member) => member.poll({ ...PATIENT, maxWaitMs: 20 })));
  return members.flatMap((member) => member.assigned());
}
