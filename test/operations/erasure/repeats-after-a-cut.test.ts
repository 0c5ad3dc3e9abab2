/** Messages whose ids were seen before their person was forgotten. */
import { describe, expect, test } from 'vitest';
import { userKeyOf } from '../../../services/messages/user-key.ts';
import { storesToVerify } from '../../../services/operations/verify/live-stores.ts';
import { verify } from '../../../services/operations/verify/verify.ts';
import { SqlErasures } from '../../../services/stores/erasures/sql-erasures.ts';
import { SqlProfileStore } from '../../../services/stores/profiles/sql-profile-store.ts';
import { testedForms } from '../../support/service/tested-forms.ts';
import { sharedInstallation } from '../../support/service/whole-installation.ts';
import type { MessageMaker } from '../../support/stores/analytics.ts';
import { ForgettingScene } from './forgetting-scene.ts';

const IDENTIFIED = { messageId: 'i-1', traits: '{"plan":"pro"}' };

describe.each(await testedForms())(
  'messages that are sent again after their person was forgotten, $form',
  ({ form }) => {
    const installation = sharedInstallation(form);
    const scene = new ForgettingScene(installation);

    const traitsOf = async (projectId: string) => {
      const profiles = new SqlProfileStore(installation().database);
      return (await profiles.find(projectId, userKeyOf(projectId, 'ada')))?.traits;
    };
    const isEqual = async (projectId: string) => {
      const found = await verify(
        await storesToVerify(installation()),
        { projectId },
        { deep: true, repeatWindowMs: 2 ** 40 },
      );
      return found.equal;
    };
    const take = async (shop: MessageMaker, receivedAt: bigint, traits = IDENTIFIED.traits) => {
      await installation().append([shop.identify({ ...IDENTIFIED, traits, receivedAt })]);
      await installation().readAll();
    };
    const begin = async (name: string, suppress: boolean) => {
      const shop = await scene.projectWithPeople(name);
      await installation().append([shop.identify(IDENTIFIED), shop.session({ messageId: 's-1' })]);
      await installation().readAll();
      const { erasures } = await scene.request(shop.projectId, ['ada'], suppress);
      await scene.forget();
      const id = erasures[0]?.id ?? '';
      return { shop, projectId: shop.projectId, id };
    };
    const cutOf = async (id: string) => (await new SqlErasures(installation().database).find(id))?.cut ?? 0n;

    test.each([true, false])('the first copy after the cut counts, suppressed before: %s', async (suppress) => {
      const { shop, projectId, id } = await begin(`Sent again ${suppress}`, suppress);
      if (suppress) await new SqlErasures(installation().database).lift(id);
      const cut = await cutOf(id);

      await take(shop, cut + 1n);

      expect(await traitsOf(projectId)).toBe('{"plan": "pro"}');
      expect(await scene.rowsOf(projectId, 'ada')).toMatchObject({ identify_rows: 1, trait_rows: 1 });
      await take(shop, cut + 2n, '{"plan":"free"}');
      expect(await traitsOf(projectId)).toBe('{"plan": "pro"}');
      expect(await scene.rowsOf(projectId, 'ada')).toMatchObject({ identify_rows: 1 });
      expect(await isEqual(projectId)).toBe(true);
    });

    test('it is so after each of several erasures of the person', async () => {
      const { shop, projectId, id } = await begin('Sent again and again', false);
      await take(shop, (await cutOf(id)) + 1n);
      const { erasures } = await scene.request(projectId, ['ada'], false);
      await scene.forget();

      await take(shop, (await cutOf(erasures[0]?.id ?? '')) + 1n);

      expect(await traitsOf(projectId)).toBe('{"plan": "pro"}');
      expect(await isEqual(projectId)).toBe(true);
    });

    test('reading the log from its start comes to the same', async () => {
      const { shop, projectId, id } = await begin('Sent again, and read again', false);
      await take(shop, (await cutOf(id)) + 1n);
      const rows = await scene.rowsOf(projectId, 'ada');
      const { database, analytics } = installation();
      await database.query(
        'truncate users, profiles, sightings, applied_counts, reader_positions, sink_plans, applied',
      );
      await analytics.dropGeneration(1);

      await installation().readAll();

      expect(await traitsOf(projectId)).toBe('{"plan": "pro"}');
      expect(await scene.rowsOf(projectId, 'ada')).toEqual(rows);
    });
  },
);
