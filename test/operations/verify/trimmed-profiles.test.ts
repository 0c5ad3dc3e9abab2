import { describe, expect, test } from 'vitest';
import { changeOf } from '../../../services/consumers/projector/fold.ts';
import { cellOf } from '../../../services/operations/verify/checkpoints.ts';
import { findMissingEffects } from '../../../services/operations/verify/missing-effects.ts';
import { checkProfiles } from '../../../services/operations/verify/profile-check.ts';
import { Findings } from '../../../services/operations/verify/report.ts';
import { hourOf } from '../../../services/messages/day-and-hour.ts';
import { MESSAGE_TOPICS, topicOf } from '../../../services/messages/message.ts';
import { SchemaDatabase } from '../../../services/stores/database/schema-database.ts';
import { FIRST_GENERATION, schemaOf } from '../../../services/stores/generations/generation.ts';
import { SqlProfileStore } from '../../../services/stores/profiles/sql-profile-store.ts';
import { sharedDatabase } from '../../support/stores/database.ts';
import { MemoryLog } from '../../support/event-log/memory-log.ts';
import { codec, identify, recordOf } from '../../support/messages/messages.ts';
import { randomProjectId } from '../../support/messages/random-project.ts';

const MOST = 2;
const NOTHING_PUT_ASIDE = { has: () => false };

describe('profiles of which more was said than they keep', () => {
  const database = sharedDatabase();

  test.each([
    ['trimmed when they were merged', MOST],
    ['written before there was a bound', 10],
  ])('trimmed profiles agree with the log where they were %s', async (_, maxTraits) => {
    const { deepCheck } = await scene(maxTraits);

    expect((await deepCheck()).different).toEqual({ count: 0, first: [] });
  });

  test('trimmed profiles differ from the log where a trait that they keep differs', async () => {
    const { deepCheck, projectId } = await scene(10);
    await database().query(`update profiles set traits = traits || '{"d": 5}' where project_id = $1`, [projectId]);

    expect((await deepCheck()).different.count).toBe(1);
  });

  test('a profile with another anonymous id beside its user id is found different', async () => {
    const { deepCheck, projectId } = await scene(MOST);
    await database().query(`update sightings set version = repeat('0', 32) where project_id = $1`, [projectId]);

    expect((await deepCheck()).different).toMatchObject({
      count: 1,
      first: [{ why: 'other anonymous ids were seen beside it' }],
    });
  });

  test('anonymous ids of a generation from before they were sightings are not held against the log', async () => {
    const { deepCheck, projectId } = await scene(MOST);
    await database().query('delete from sightings where project_id = $1', [projectId]);
    expect((await deepCheck()).different.count).toBe(1);

    await database().script('update reader_positions set lacks_sightings = true');

    expect((await deepCheck()).different).toEqual({ count: 0, first: [] });
  });

  test('a full profile lacks no message older than all it keeps, and a profile with room lacks what it misses', async () => {
    const { missing } = await scene(MOST);
    expect((await missing()).result()).toMatchObject({ count: 0 });

    const { missing: missingAfter, projectId } = await scene(MOST);
    await database().query(`update profiles set versions = versions - 'd' where project_id = $1`, [projectId]);

    expect((await missingAfter()).result().first).toMatchObject([{ offset: '0' }, { offset: '2' }]);
  });

  /** One user with four traits, of which two are to be kept: `d` and `c`, of the newest messages. */
  async function scene(maxTraits: number) {
    const ada = { projectId: randomProjectId(), userId: 'ada' };
    const said = ['{"a":1,"b":2}', '{"c":3}', '{"d":4}'].map((traits) =>
      identify({ ...ada, anonymousId: 'a', traits }),
    );
    const log = new MemoryLog();
    for (const topic of MESSAGE_TOPICS) log.records(topic, 0);
    for (const message of said) log.put(topicOf(message), 0, recordOf(message));
    const partition = { topic: 'tidemark.identify', partition: 0 };
    await database().script('delete from reader_positions');
    const store = new SqlProfileStore(database(), FIRST_GENERATION, { maxTraits });
    const [from, to] = [0n, 3n].map((offset) => ({ ...partition, offset, identity: offset === 0n ? '' : 'x' }));
    await store.write([{ from: from!, to: to! }], [], () => []);
    for (const message of said) await store.write([], [], () => [changeOf(message)]);

    const profiles = new SchemaDatabase(database(), schemaOf('profiles', FIRST_GENERATION));
    const common = { log, codec, profiles, deadLettered: NOTHING_PUT_ASIDE, maxTraits: MOST };
    const { projectId } = ada;
    const cell = cellOf({ ...partition, projectId, hour: hourOf(said[0]!.receivedAt) });
    const checked = new Map([[`${partition.topic}/0`, { from: 0n, to: 3n }]]);
    return {
      projectId,
      deepCheck: () => checkProfiles({ ...common, projectId, repeatWindowMs: 60_000 }),
      missing: async () => {
        const found = new Findings();
        const checkpoints = { checked: { projector: checked, sink: new Map() }, applied: [] } as never;
        const span = { range: { ...partition, from: 0n, to: 3n }, cells: new Map([[cell, {} as never]]) };
        await findMissingEffects({ ...common, checkpoints, missing: found }, span);
        return found;
      },
    };
  }
});
