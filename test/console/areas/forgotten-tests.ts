import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { recordedIn } from '../../support/service/readers-passed.ts';
import { ADMIN_KEY, complaintsOf, type Scene } from '../scene.ts';

/** What is left of people who were forgotten, and of whoever did it. */
export function testForgotten(scene: () => Scene): void {
  describe('forgotten people', () => {
    // The job waits for the readers.
    const timeout = 600_000;
    test(
      'who was forgotten has a certificate that can be saved, says who asked, and can be lifted',
      { timeout },
      async () => {
        // A page that is opened before there is a profile asks again, and the browser tells of the first answer.
        await recordedIn(scene().service, '/v1/track', { user_id: 'forgotten-1', event: 'Signed Up' });
        const page = await scene().signedIn('#/users/forgotten-1', { isAdmin: true });
        // A request that is still under way when the person is forgotten is answered 404, too.
        for (const part of ['.days-strip', '#timeline', '#audiences']) await page.locator(part).waitFor();
        await expect.poll(() => page.locator('.loading').count()).toBe(0);
        await page.getByRole('button', { name: 'Forget…' }).click();
        await page.getByLabel('To confirm').fill('forgotten-1');
        await page.getByRole('button', { name: 'Forget for good' }).click();

        await page.getByRole('heading', { name: 'Forgotten people' }).waitFor();
        await page.getByText('Admin key (first start)').first().waitFor();
        const save = page.getByRole('button', { name: 'Download certificate' });
        await save.waitFor({ timeout });
        const saving = page.waitForEvent('download');
        await save.click();
        const certificate = JSON.parse(await readFile(await (await saving).path(), 'utf8')) as Record<string, unknown>;
        expect(certificate).toMatchObject({ state: 'done', report: { user_sha256: expect.any(String) as string } });

        await page.getByRole('button', { name: 'Lift…' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Lift', exact: true }).click();
        await page.getByText('Forgotten, lifted').waitFor();
        await page.goto(`${scene().url}/console/#/settings/audit`);
        await page.getByText('Lifted the forgetting of a person').filter({ visible: true }).first().waitFor();
        expect(complaintsOf(page)).toEqual([]);
      },
    );

    test('events are looked at, and erased once their number is typed', async () => {
      const properties = { note: 'by mistake' };
      for (const user of ['erased-1', 'erased-2'])
        await recordedIn(scene().service, '/v1/track', { user_id: user, event: 'Slipped', properties });
      const page = await scene().signedIn('#/settings/forgotten', { isAdmin: true });
      const form = page.getByRole('form', { name: 'Events to erase' });
      await form.getByLabel('Name of the event').fill('Slipped');
      await form.getByLabel('Conditions on properties').fill('[{"property":"note","is":"by mistake"}]');
      await form.getByRole('button', { name: 'Look at them' }).click();
      await page.getByText('erased-2').waitFor();

      await page.getByRole('button', { name: 'Erase…' }).click();
      await page.getByLabel('To confirm').fill('2');
      await page.getByRole('button', { name: 'Erase for good' }).click();

      await page.getByText('Events: 2').last().waitFor();
      await form.getByRole('button', { name: 'Look at them' }).click();
      await page.getByText('No event is like that.').waitFor();
      expect(complaintsOf(page)).toEqual([]);
    });

    test('keys of the first start have names, which stand where the keys are named', async () => {
      const headers = { authorization: `Bearer ${ADMIN_KEY}` };
      const { keys } = (await (await fetch(`${scene().url}/v1/admin/keys`, { headers })).json()) as {
        readonly keys: readonly { readonly name: string | null }[];
      };
      expect(keys.map(({ name }) => name)).toContain('Admin key (first start)');

      const page = await scene().signedIn('#/settings/session', { isAdmin: true });

      await page.getByText('Admin key (first start)').waitFor();
    });
  });
}
