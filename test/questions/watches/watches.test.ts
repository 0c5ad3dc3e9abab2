import { beforeEach, expect, test } from 'vitest';
import { describeStores } from '../../support/stores/tested-stores.ts';
import { WATCHED_HOUR, WATCHED_MINUTE, WatchScene } from '../../support/watches/watch-scene.ts';

const NO_ORDER = { question: { event: 'Order' }, rule: { none_for: 10 } };

await describeStores('watches kept', (analytics, database) => {
  let scene: WatchScene;
  beforeEach(async () => {
    scene = await WatchScene.make(analytics(), database());
  });

  test('a producer that stops is told of once after the time, and once at its return', async () => {
    await scene.save('No order', NO_ORDER);
    await scene.passes(12, { sends: 'Order' });

    await scene.passes(9);
    const before = await scene.messages();
    await scene.passes(12);
    const stopped = await scene.messages();
    await scene.passes(12, { sends: 'Order' });

    expect(before).toEqual([]);
    expect(stopped).toEqual(['watch.raised No order: no Order for 10 minutes.']);
    expect(await scene.messages()).toEqual([
      ...stopped,
      'watch.ended No order has ended: 1 Order in the last 10 minutes.',
    ]);
  });

  test('nobody is told because of an import of a year', async () => {
    await scene.save('Many', { question: { event: 'Order' }, rule: { above: 5 } });
    await scene.save('No order', NO_ORDER);
    await scene.passes(12, { sends: 'Order', every: 6 });

    await scene.imports('Order', 365);
    await scene.passes(3, { sends: 'Order', every: 6 });
    const during = await scene.messages();
    // Nor does it hide that the producer has stopped.
    await scene.imports('Order', 1);
    await scene.passes(12);

    expect(during).toEqual([]);
    expect(await scene.messages()).toEqual(['watch.raised No order: no Order for 10 minutes.']);
  });

  test('events of long ago that are sent now, and messages sent again, are no traffic', async () => {
    await scene.save('Many', { question: { event: 'Order' }, rule: { above: 3, minutes: 60 } });
    await scene.passes(5);
    await scene.sends('Order', { messageId: 'once', ageMs: 2 * WATCHED_MINUTE });
    for (let n = 0; n < 10; n++) await scene.sends('Order', { messageId: 'once' });
    for (let n = 0; n < 10; n++) await scene.sends('Order', { ageMs: 50 * WATCHED_HOUR });

    await scene.passes(2);

    expect(await scene.value('Many')).toBe(1);
  });

  test('an outage of the service, a restart and a sink that is behind raise nothing', async () => {
    await scene.save('No order', NO_ORDER);
    await scene.passes(12, { sends: 'Order' });

    // Nothing is evaluated, and nobody can send.
    scene.clockGoes(3 * WATCHED_HOUR);
    await scene.passes(10);
    await scene.passes(2, { sends: 'Order' });
    // Messages are taken, but cannot be counted yet.
    scene.sinkStopsAt(scene.nowMs);
    await scene.passes(20);
    scene.sinkStopsAt(null);
    await scene.sends('Order');
    await scene.passes(8);
    // Other processes take messages since.
    scene.restarted();
    await scene.passes(9);

    expect(await scene.messages()).toEqual([]);
  });

  test('what is not known for a while is no reason to end what was raised', async () => {
    await scene.save('No order', NO_ORDER);
    await scene.passes(12);

    scene.clockGoes(3 * WATCHED_HOUR);
    await scene.passes(5);

    expect(await scene.messages()).toEqual(['watch.raised No order: no Order for 10 minutes.']);
    expect(await scene.stateOf('No order')).toMatchObject({ raisedAtMs: expect.any(Number) as number });
  });

  test.each([
    ['2026-10-25T00:30:00Z', 'the clock is put back'],
    ['2026-03-29T00:30:00Z', 'the clock is put forward'],
  ])('nothing is told at %s, when %s: hours are compared by the clock of the project', async (change) => {
    const at = Date.parse(change);
    // Orders come by the clock: 60 an hour from 3 in the morning on, and 6 an hour before.
    const rate = (ms: number): number => (scene.localHour(ms) < 3 ? 10 : 1);
    scene = await WatchScene.make(analytics(), database(), {
      nowMs: at - 2 * WATCHED_HOUR,
      timezone: 'Europe/Berlin',
    });
    await scene.save('Other than usual', { question: { event: 'Order' }, rule: { changed_by: 60 } });
    await scene.hasSent('Order', {
      fromMs: at - 7 * 24 * WATCHED_HOUR - 4 * WATCHED_HOUR,
      toMs: at - 6 * 24 * WATCHED_HOUR,
      rate,
    });
    await scene.hasSent('Order', { fromMs: at - 4 * WATCHED_HOUR, toMs: at + 6 * WATCHED_HOUR, rate });

    await scene.passes(7 * 60, { step: 3 });

    expect(await scene.stateOf('Other than usual')).toMatchObject({ before: expect.any(Number) as number });
    expect(await scene.messages()).toEqual([]);
  });

  test('a number far from that of the same hour a week ago is told of', async () => {
    await scene.save('Other than usual', { question: { event: 'Order' }, rule: { changed_by: 50 } });
    const week = scene.nowMs - 7 * 24 * WATCHED_HOUR;
    await scene.hasSent('Order', { fromMs: week - WATCHED_HOUR, toMs: week + 3 * WATCHED_HOUR, rate: () => 1 });

    await scene.passes(72, { sends: 'Order', every: 3, step: 3 });

    expect(await scene.messages()).toEqual([
      'watch.raised Other than usual: 20 Order in the last 60 minutes, 60 at the same time a week ago.',
    ]);
  });

  test('a share of two counts, with conditions, is told of in percent', async () => {
    const question = {
      event: 'Order',
      where: [{ property: 'total', gt: 100 }],
      share_of: { event: ['Order', 'Cart'] },
    };
    await scene.save('Large orders', { question, rule: { below: 30, minutes: 10 } });
    for (let n = 0; n < 20; n++) {
      await scene.sends('Order', { properties: '{"total":150}' });
      await scene.sends('Cart');
      await scene.passes(1);
    }
    const share = await scene.value('Large orders');

    for (let n = 0; n < 12; n++) {
      await scene.sends('Order', { properties: '{"total":50}' });
      await scene.passes(1);
    }

    expect(share).toBe(50);
    expect(await scene.messages()).toEqual([
      expect.stringMatching(
        /^watch.raised Large orders: Order as a share of Order or Cart: [\d.]+ % in .*, below 30 %.$/,
      ),
    ]);
  });

  test('messages that are refused are counted from one midnight to the next, and end', async () => {
    scene = await WatchScene.make(analytics(), database(), { nowMs: Date.parse('2026-11-20T23:40:00Z') });
    await scene.save('Refused', { question: { refused: true }, rule: { above: 15, minutes: 10 } });
    await scene.rejects(1_000);
    await scene.passes(15);
    await scene.rejects(12);
    await scene.passes(6);
    await scene.rejects(9);

    await scene.passes(30);

    expect(await scene.messages()).toEqual([
      'watch.raised Refused: 21 refused messages in the last 10 minutes, above 15.',
      'watch.ended Refused has ended: 9 refused messages in the last 10 minutes.',
    ]);
  });

  test('a watch whose audience is gone fails, and the others are evaluated', async () => {
    await scene.save('Small', { question: { audience: await scene.audienceOf(3) }, rule: { above: 5 } });
    await scene.save('Many', { question: {}, rule: { above: 1 } });
    await database().query('delete from audiences');

    await scene.passes(1);

    expect((await scene.watch('Small')).failure).toBe('AUDIENCE_UNKNOWN');
    expect(await scene.watch('Many')).toMatchObject({ failure: null, state: { value: 0 } });
  });

  test('a crash before the end of the transaction tells nobody, and the next look once', async () => {
    await scene.save('No order', NO_ORDER);
    await scene.passes(12, { sends: 'Order' });
    await scene.passes(9);

    scene.crashes(true);
    await scene.passes(2);
    const crashed = await scene.messages();
    scene.crashes(false);
    await scene.passes(5);

    expect(crashed).toEqual([]);
    expect(await scene.messages()).toEqual(['watch.raised No order: no Order for 10 minutes.']);
  });

  test('several processes tell of a watch once, and who lost the claim tells nobody', async () => {
    await scene.save('Many', { question: {}, rule: { above: 1, minutes: 60 } });
    await scene.sends('Order');
    await scene.sends('Order');

    await scene.passes(5, { processes: 3 });
    const [claim] = await scene.claims();
    await database().query("update watches set claim = 'another'");
    const isDone = await scene.commitRaised(claim);

    expect(isDone).toBe(false);
    expect(await scene.messages()).toEqual(['watch.raised Many: 2 events in the last 60 minutes, above 1.']);
  });

  test('what was changed meanwhile is not judged by what it was', async () => {
    await scene.save('Many', { question: {}, rule: { above: 1 } });
    const [claim] = await scene.claims();
    await scene.save('Many', { question: {}, rule: { above: 100 } });

    expect(await scene.commitRaised(claim)).toBe(false);
    expect(await scene.messages()).toEqual([]);
  });

  test('endpoints that are named are told whatever they take, and others that take the type', async () => {
    const named = await scene.endpoint(['audience.changed']);
    const other = await scene.endpoint(['watch.ended']);
    await scene.save('Named', { question: {}, rule: { above: 0 }, endpoints: [named] });
    await scene.save('All', { question: {}, rule: { above: 0 } });

    await scene.sends('Order');
    await scene.passes(2);
    await scene.passes(64, { step: 3 });

    expect(await scene.typesTo(named)).toEqual(['watch.raised', 'watch.ended']);
    expect(await scene.typesTo(other)).toEqual(['watch.ended']);
  });

  test('what wants attention is told of once it was seen twice, and once when it is over', async () => {
    const { projectId: project_id } = scene;
    const overdue = { code: 'audience_late', reason: 'Pro is overdue', link: 'x', project_id, object_id: 'aud_1' };
    const disk = { code: 'disk_low', reason: 'little is free', link: 'x' };
    const [own, all] = [await scene.endpoint(['attention.raised']), await scene.endpoint(['attention.ended'], null)];
    scene.attention = [disk, overdue];
    await scene.passes(1);
    const first = await scene.messages();

    await scene.passes(5);
    scene.attention = undefined;
    await scene.passes(5);
    scene.attention = [overdue];
    await scene.passes(5);

    expect(first).toEqual([]);
    expect(await scene.messages()).toEqual([
      'attention.raised Needs attention: little is free.',
      'attention.raised Needs attention: Pro is overdue.',
      'attention.ended No longer: little is free.',
    ]);
    expect(await scene.typesTo(own)).toEqual(['attention.raised']);
    expect(await scene.typesTo(all)).toEqual(['attention.ended']);
  });

  test('what wants attention is looked for only where an endpoint takes it', async () => {
    const state = () => database().query("select state from watches where id = 'attention'");
    await database().script('delete from endpoints');
    await scene.endpoint(['watch.raised']);
    await scene.passes(2);
    const unwanted = await state();

    await scene.endpoint(['attention.ended']);
    await scene.passes(1);

    expect(unwanted).toEqual([{ state: '{}' }]);
    expect(await state()).toEqual([{ state: '{"findings":[]}' }]);
  });
});
