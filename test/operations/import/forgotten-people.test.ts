import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { userKeyOf } from '../../../services/messages/user-key.ts';
import { ALL_TIME, userName, type ErasedUsers } from '../../../services/stores/erasures/erased-users.ts';
import { importScene, trackLine, trackLines } from '../../support/service/importing.ts';

const LATER = BigInt(Date.now() + 3_600_000) * 1_000n;
const EARLIER = 1n;

const scene = importScene();

function forgotten(people: Readonly<Record<string, bigint>>): ErasedUsers {
  const name = (user: string): string => userName('proj_1', userKeyOf('proj_1', user));
  return new Map(Object.entries(people).map(([user, cut]) => [name(user), cut]));
}

function importedOf(user: string): number {
  return scene()
    .messages()
    .filter(({ userId }) => userId === user).length;
}

test('an import that goes on drops and counts the lines of people who were forgotten after it began', async () => {
  await writeFile(scene().path, trackLines(3_500));
  const first = await scene().runPartly();
  const before = importedOf('u0') + importedOf('u1');

  const second = await scene().run({ forgotten: () => forgotten({ u0: LATER, u1: ALL_TIME, u2: EARLIER }) });

  expect(first.dropped ?? 0).toBe(0);
  expect(before).toBeGreaterThan(0);
  expect(second).toMatchObject({ imported: 2_500 + before, refused: 0, dropped: 1_000 - before, lines: 3_500 });
  expect(scene().messages()).toHaveLength(2_500 + before);
  expect([importedOf('u0') + importedOf('u1'), importedOf('u2')]).toEqual([before, 500]);
});

test('a person who is forgotten while an import runs is dropped from then on', async () => {
  await writeFile(scene().path, trackLines(3_500));
  let known = forgotten({});

  const onProgress = (): unknown => (known = forgotten({ u0: ALL_TIME }));
  const done = await scene().run({ forgotten: () => known, onProgress });

  expect(importedOf('u0')).toBeGreaterThan(0);
  expect(done).toMatchObject({ imported: 3_000 + importedOf('u0'), dropped: 500 - importedOf('u0') });
});

test('a file that is all of people who are forgotten is dropped, begun anew and taken once that is lifted', async () => {
  const withoutTime = '{"type":"track","user_id":"u0","event":"Paid"}\n';
  await writeFile(scene().path, trackLine(0) + '\n' + withoutTime.repeat(200));

  const untimed = false;
  const dry = await scene().run({ isDry: true, untimed, forgotten: () => forgotten({ u0: ALL_TIME }) });
  const dropped = await scene().run({ untimed, forgotten: () => forgotten({ u0: ALL_TIME }) });
  const again = await scene().run({ restart: true, forgotten: () => forgotten({ u0: EARLIER }) });

  expect(dry).toMatchObject({ imported: 0, dropped: 201 });
  expect(dropped).toMatchObject({ imported: 0, refused: 0, dropped: 201, untimed: 0, warnings: [], isDone: true });
  expect(again).toMatchObject({ imported: 201, isDone: true });
  expect(importedOf('u0')).toBe(201);
});
