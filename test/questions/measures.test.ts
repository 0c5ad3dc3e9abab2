import { describe, expect, test } from 'vitest';
import { previewAudience } from '../../services/questions/audiences.ts';
import { readDefinition } from '../../services/questions/definition/definition.ts';
import { whyJson } from '../../services/questions/explain/to-json.ts';
import { explainMembership } from '../../services/questions/explain/why.ts';
import { QueryBudget } from '../../services/questions/query-budget.ts';
import { userKeyOf } from '../../services/messages/user-key.ts';
import { AMPLE, insert, MessageMaker } from '../support/stores/analytics.ts';
import { sharedStore } from '../support/stores/analytics-stores.ts';
import { exactly, NOW } from '../support/messages/random-history.ts';
import { testedAnalytics } from '../support/stores/tested-analytics.ts';

const DAY = 86_400_000_000n;

describe.each(await testedAnalytics())('a measure of events in $name', (tested) => {
  const store = sharedStore(tested);

  /** A user for each list, who paid these totals, an hour apart from now backwards. */
  async function projectWith(users: Record<string, readonly string[]>): Promise<string> {
    const make = new MessageMaker();
    const messages = Object.entries(users).flatMap(([userId, totals]) =>
      totals.map((total, index) =>
        make.track({
          userId,
          userKey: userKeyOf(make.projectId, userId),
          event: 'Paid',
          properties: `{"total":${total},"it's":${total}}`,
          timestamp: NOW - BigInt(index) * (DAY / 24n),
        }),
      ),
    );
    await insert(store(), messages);
    return make.projectId;
  }

  function definitionOf(measure: string) {
    const read = readDefinition(exactly(`{"event":"Paid","within":{"last":"30d"},"measure":${measure}}`), {
      timezone: 'UTC',
    });
    if (!read.ok) throw new Error(JSON.stringify(read.problems));
    return read.definition;
  }

  async function found(projectId: string, measure: string): Promise<readonly string[]> {
    const options = { projectId, now: NOW, sampleSize: 100 };
    return (await previewAudience(new QueryBudget(store(), AMPLE), definitionOf(measure), options)).sample;
  }

  test.each(['"total"', '"it\'s"'])('a sum of %s has every digit of its numbers', async (key) => {
    const projectId = await projectWith({
      decimal: ['0.1', '0.2'],
      whole: ['9007199254740993', '9007199254740993'],
      double: ['0.1000000000000000055', '1e-31', '"1"', 'true', '[5]'],
      large: ['1e400', '-1e300'],
    });

    expect(await found(projectId, `{"sum":${key},"is":0.3}`)).toEqual(['decimal']);
    expect(await found(projectId, `{"sum":${key},"is":18014398509481986}`)).toEqual(['whole']);
    expect(await found(projectId, `{"sum":${key},"is":0.1}`)).toEqual(['double']);
    expect(await found(projectId, `{"average":${key},"is":0.15}`)).toEqual(['decimal']);
    expect(await found(projectId, `{"average":${key},"gt":9007199254740992.999}`)).toEqual(['whole']);
    expect(await found(projectId, `{"min":${key},"lte":0.1}`)).toEqual(['decimal', 'double', 'large']);
    expect(await found(projectId, `{"max":${key},"gt":9.9e35}`)).toEqual(['large']);
    expect(await found(projectId, `{"distinct":${key},"is":4}`)).toEqual(['double']);
  });

  test('a user without any value does not pass, whatever the bounds', async () => {
    const projectId = await projectWith({ none: ['null', '"1"'], zero: ['0'] });

    for (const of of ['sum', 'average', 'min', 'max'])
      expect(await found(projectId, `{"${of}":"total","is_not":7}`)).toEqual(['zero']);
  });

  test('why gives the measure with every digit, and when it passes its bounds', async () => {
    const projectId = await projectWith({ ada: ['0.1', '9007199254740993'] });
    const user = { projectId, userKey: userKeyOf(projectId, 'ada'), now: NOW, eventsShown: 1 };
    const why = await explainMembership(store(), AMPLE, definitionOf('{"sum":"total","gt":1}'), '', user);

    expect(why?.evaluation).toMatchObject({ isMet: true, changesAt: NOW + 30n * DAY - DAY / 24n + 1n });
    expect(whyJson(why!)).toContain('"measured":9007199254740993.1,');
    expect(why?.evaluation.condition).toBe('who did "Paid" in the last 30 days, the sum of "total" is more than 1');
  });

  test('a message counts once, with the value of the copy that is first on the log', async () => {
    const make = new MessageMaker();
    const copies = [
      ['20', 5n],
      ['10', 2n],
      ['7', 40n],
    ].map(([total, days]) =>
      make.track({
        event: 'Paid',
        messageId: 'm',
        properties: `{"total":${total}}`,
        timestamp: NOW - BigInt(days!) * DAY,
      }),
    );
    await insert(store(), copies);

    expect(await found(make.projectId, '{"sum":"total","is":20}')).toEqual(['ada']);
    expect(await found(make.projectId, '{"distinct":"total","is":1}')).toEqual(['ada']);
  });

  test('of copies of one day the first on the log has the value, and whether it is within the time', async () => {
    const make = new MessageMaker();
    const bob = { userId: 'bob', userKey: userKeyOf(make.projectId, 'bob') };
    const paid = (given: object, total: string) =>
      make.track({ event: 'Paid', messageId: 'm', timestamp: NOW - DAY, properties: `{"total":${total}}`, ...given });
    await insert(store(), [
      paid({}, '0.1'),
      paid({}, '5'),
      paid({ messageId: 'n' }, '1e-9'),
      paid({ messageId: 'late', timestamp: NOW + 1n }, '100'),
      paid({ messageId: 'late', timestamp: NOW - 1n }, '100'),
      paid(bob, '7'),
      paid({ ...bob, messageId: 'n', timestamp: NOW - 40n * DAY }, '70'),
    ]);

    expect(await found(make.projectId, '{"sum":"total","is":0.100000001}')).toEqual(['ada']);
    expect(await found(make.projectId, '{"sum":"total","is":7}')).toEqual(['bob']);
    expect(await found(make.projectId, '{"average":"total","gt":0.05,"lt":0.051}')).toEqual(['ada']);
    expect(await found(make.projectId, '{"max":"total","lte":0.1}')).toEqual(['ada']);
    expect(await found(make.projectId, '{"min":"total","gt":0.0000000001}')).toEqual(['ada', 'bob']);
    expect(await found(make.projectId, '{"distinct":"total","gt":1.5}')).toEqual(['ada']);
  });

  test('of copies of several days the first on the log that has a value gives it, with a last time too', async () => {
    const make = new MessageMaker();
    const copies = ['{}', '{"total":1e19}', '{"total":5}'].map((properties, days) =>
      make.track({ event: 'Paid', messageId: 'm', properties, timestamp: NOW - BigInt(days) * DAY }),
    );
    await insert(store(), copies);

    const options = { projectId: make.projectId, now: NOW, sampleSize: 1 };
    const summed = definitionOf('{"sum":"total","is":1e19}');
    const timed = { ...summed, within: null, last: { from: { at: NOW - DAY }, to: null } } as typeof summed;
    for (const definition of [summed, timed])
      expect((await previewAudience(new QueryBudget(store(), AMPLE), definition, options)).count).toBe(1);
  });
});
