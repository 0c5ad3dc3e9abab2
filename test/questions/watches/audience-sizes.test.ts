import { beforeEach, expect, test } from 'vitest';
import { describeStores } from '../../support/stores/tested-stores.ts';
import { WatchScene } from '../../support/watches/watch-scene.ts';

await describeStores('watches of the sizes of audiences', (analytics, database) => {
  let scene: WatchScene;
  beforeEach(async () => {
    scene = await WatchScene.make(analytics(), database());
  });

  test('the size of an audience is told of', async () => {
    const id = await scene.audienceOf(3);
    await scene.save('Small', { question: { audience: id }, rule: { below: 5 } });

    await scene.passes(3);
    await scene.audienceOf(8, id);
    await scene.passes(3);

    expect(await scene.messages()).toEqual([
      'watch.raised Small: 3 members of Pro, below 5.',
      'watch.ended Small has ended: 8 members of Pro.',
    ]);
  });

  test('the size of an audience is compared with the one that it had a week ago', async () => {
    const id = await scene.audienceOf(12);
    await scene.save('Grows', { question: { audience: id }, rule: { changed_by: 50 } });
    await scene.passes(1);
    await scene.hadSizes(id, [
      { at: '2026-11-12T08:00:00Z', members: 3 },
      { at: '2026-11-13T10:01:30Z', members: 8 },
      { at: '2026-11-13T12:00:00Z', members: 11 },
    ]);

    await scene.passes(120, { step: 10 });

    expect(await scene.messages()).toEqual([
      'watch.raised Grows: 12 members of Pro, 8 at the same time a week ago.',
      'watch.ended Grows has ended: 12 members of Pro.',
    ]);
  });

  test('the size of an audience is not compared with that of another definition', async () => {
    const id = await scene.audienceOf(12);
    await scene.save('Grows', { question: { audience: id }, rule: { changed_by: 50 } });
    await scene.hadSizes(id, [{ at: '2026-11-13T08:00:00Z', members: 8, version: 0 }]);

    await scene.passes(3);

    expect(await scene.stateOf('Grows')).toMatchObject({ value: 12, before: null });
    expect(await scene.messages()).toEqual([]);
  });
});
