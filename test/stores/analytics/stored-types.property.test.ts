import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readDefinition } from '../../../services/questions/definition/definition.ts';
import { MAX_SAMPLE } from '../../../services/questions/sql/compile.ts';
import { previewAudience } from '../../../services/questions/audiences.ts';
import { QueryBudget } from '../../../services/questions/query-budget.ts';
import { AMPLE, ask, insert, MessageMaker } from '../../support/stores/analytics.ts';
import { sharedStore } from '../../support/stores/analytics-stores.ts';
import { propertyRun } from '../../support/property-run.ts';
import { exactly } from '../../support/messages/random-history.ts';
import { testedAnalytics } from '../../support/stores/tested-analytics.ts';

const NOW = BigInt(Date.UTC(2026, 10, 21)) * 1000n;

const MEMBERS = ['1', '-1', '1.5', '9007199254740993', '9007199254740992', '-9007199254740993'].concat(
  ['18446744073709551615', '1e3', '1e400', '"a"', '"1"', 'true', 'null', '[]', '{"a":1}'],
  '"2026-11-20"',
);
const member = fc.constantFrom(...MEMBERS);
const list = fc.array(member, { maxLength: 3 }).map((members) => `[${members.join(',')}]`);
const value = fc.oneof(
  { weight: 4, arbitrary: list },
  member,
  list.map((one) => `{"in":${one}}`),
);
/** Objects with more paths than the column keeps apart, so that those of later rows share a place. */
const manyPaths = fc.nat(20).map((n) => Array.from({ length: 20 }, (_, i) => `"p${n * 20 + i}":${i}`).join(','));
const properties = fc.oneof(
  { weight: 4, arbitrary: value.map((one) => `{"v":${one}}`) },
  { weight: 1, arbitrary: fc.tuple(manyPaths, value).map(([paths, one]) => `{${paths},"v":${one}}`) },
);

const WHERES = MEMBERS.slice(2, 8).flatMap((one) => [
  `{"property":"v","contains":${one}}`,
  `{"property":["v","in"],"contains":${one}}`,
  `{"property":"v","is":${one}}`,
]);

describe.each(await testedAnalytics())('the stored form of a message ($name)', (tested) => {
  const store = sharedStore(tested);

  /** Each value with the types of all that is in it. */
  async function stored({ projectId }: MessageMaker): Promise<unknown[]> {
    return ask(
      store(),
      `SELECT message_id, toJSONString(properties) AS value, JSONAllPathsWithTypes(properties) AS types,
              arrayMap(one -> dynamicType(one), properties.v.:\`Array(Dynamic)\`) AS members
       FROM events WHERE project_id = {projectId:String} ORDER BY message_id`,
      { projectId },
    );
  }

  async function found({ projectId }: MessageMaker): Promise<unknown[]> {
    const asked = WHERES.map(async (where) => {
      const read = readDefinition(exactly(`{"event":"Order Completed","where":[${where}]}`), { timezone: 'UTC' });
      if (!read.ok) throw new Error(JSON.stringify(read.problems));
      const options = { projectId, now: NOW, sampleSize: MAX_SAMPLE };
      return [where, (await previewAudience(new QueryBudget(store(), AMPLE), read.definition, options)).sample];
    });
    return Promise.all(asked);
  }

  function messagesOf(maker: MessageMaker, texts: readonly string[]) {
    return texts.map((text, n) => maker.track({ userId: `u${n}`, messageId: `m${100 + n}`, properties: text }));
  }

  test('a message is stored the same, and found the same, whatever is inserted with it', async () => {
    const texts = fc.array(properties, { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(texts, texts, fc.nat(3), async (sent, neighbours, ahead) => {
        const [alone, together] = [new MessageMaker(), new MessageMaker()];
        for (const message of messagesOf(alone, sent)) await insert(store(), [message]);

        const others = messagesOf(new MessageMaker(), neighbours);
        const block = messagesOf(together, sent);
        await insert(store(), [...others, ...block.slice(ahead), ...others, ...block.slice(0, ahead)]);

        expect(await stored(together)).toEqual(await stored(alone));
        expect(await found(together)).toEqual(await found(alone));
      }),
      propertyRun(5 * tested.share),
    );
  }, 240_000);
});
