import { describe, expect, onTestFinished, test } from 'vitest';
import { READ_KEY } from '../../support/service/service.ts';
import { answer, WebhookReceiver } from '../../support/webhooks/webhook-receiver.ts';
import { complaintsOf, type Scene } from '../scene.ts';
import { csvOf } from '../csv-tests.ts';
import { expectAccessible, violationsOf } from './screens-tests.ts';
import { type Saved, teamsOf } from './teams.ts';

interface MadeEndpoint {
  readonly id: string;
  readonly url: string;
}

/** Webhooks that are made and used by clicking. Other tests expect that there are none. */
export function testWebhooks(scene: () => Scene): void {
  const { call, saveTeam } = teamsOf(scene);

  const remove = async (path: string): Promise<void> => {
    await fetch(`${scene().url}${path}`, { method: 'DELETE', headers: { authorization: `Bearer ${READ_KEY}` } });
  };

  const removeAudience = ({ id }: Saved): void => onTestFinished(async () => remove(`/v1/audiences/${id}`));

  /** One for this audience alone. */
  const endpointAt = async (url: string, audience: Saved): Promise<MadeEndpoint> => {
    const made = await call<MadeEndpoint>('POST', '/v1/endpoints', { url, audiences: [audience.id] });
    onTestFinished(async () => remove(`/v1/endpoints/${made.id}`));
    return made;
  };

  describe('webhooks', () => {
    test('a webhook is made, its secret is shown once, and members arrive, are listed and are sent again', async () => {
      const receiver = await WebhookReceiver.start();
      const audience = await saveTeam('hooked', ['h-1', 'h-2']);
      removeAudience(audience);
      const page = await scene().signedIn('#/webhooks');
      await page.getByText('No webhooks yet').waitFor();
      await page.getByRole('button', { name: 'New webhook' }).last().click();
      await page.getByLabel('URL', { exact: true }).fill(receiver.url);
      await page.getByLabel('Description').fill('Surveys');
      await page.getByRole('combobox', { name: 'Audiences' }).selectOption('some');
      await page.getByRole('checkbox', { name: 'Team hooked' }).check();
      await page.getByRole('checkbox', { name: 'Messages that were put into the dead letters' }).check();
      await page.getByRole('checkbox', { name: 'Begin with the users' }).check();
      await expectAccessible(page, 'a new webhook');

      await page.getByRole('button', { name: 'Create webhook' }).click();

      const secret = (await page.locator('.shown-once pre').innerText()).trim();
      expect(secret).toMatch(/^whsec_/);
      await page.getByRole('button', { name: 'Done' }).click();
      await page.getByText(secret).waitFor({ state: 'detached' });
      const row = page.getByRole('row', { name: /^Surveys/ });
      await expect.poll(() => row.innerText()).toContain('Team hooked');
      await row.getByRole('link', { name: 'Surveys' }).click();
      onTestFinished(async () => remove(`/v1/endpoints/${/end_\w+/.exec(page.url())?.[0]}`));
      await page
        .getByText('Users who enter and leave audiences, Messages that were put into the dead letters')
        .waitFor();
      const delivery = page.getByRole('row', { name: /Team hooked.*Delivered/ });
      await delivery.waitFor();
      // Those of one evaluation come in the order of their internal ids.
      expect(receiver.told.map((users) => users.toSorted())).toEqual([['h-1 entered first', 'h-2 entered first']]);
      await delivery.getByRole('button').click();
      await page
        .locator('.details')
        .getByText(/^200 in \d+ ms$/)
        .waitFor();
      await expectAccessible(page, 'a webhook');
      const [head, line] = await csvOf(page);
      expect(head).toContain('last_attempt.status');
      expect(line).toMatch(/,audience\.changed,.*,200,/);
      await page.getByRole('button', { name: 'Send it again' }).click();
      await expect.poll(() => receiver.ids.length).toBe(2);
      expect(new Set(receiver.ids).size).toBe(1);
      expect(complaintsOf(page)).toEqual([]);
    });

    test('a test says what was answered, and a pause, another secret and an edit take effect', async () => {
      const receiver = await WebhookReceiver.start();
      receiver.answering = answer(503);
      const audience = await saveTeam('tested', ['t-1']);
      removeAudience(audience);
      const { id } = await endpointAt(receiver.url, audience);
      const page = await scene().signedIn(`#/webhooks/${id}`);
      await page.getByRole('button', { name: 'Send a test' }).click();
      await page.getByText(/^Test failed: 503 in \d+ ms$/).waitFor();
      receiver.answering = answer(200);
      await page.getByRole('button', { name: 'Send a test' }).click();
      await page.getByText(/^Test delivered: 200 in \d+ ms$/).waitFor();

      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByText('Paused').waitFor();
      await page.getByRole('button', { name: 'Resume' }).click();
      await page.getByText('Up to date').waitFor();

      await page.getByRole('button', { name: 'New secret…' }).click();
      expect(await violationsOf(page)).toEqual([]);
      await page.getByRole('button', { name: 'Make it' }).click();
      await expect.poll(() => page.locator('.shown-once pre').innerText()).toMatch(/^whsec_/);
      await page.getByText('Old secret signs until').waitFor();

      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByLabel('Traits sent with each user: ').click();
      await page.getByRole('checkbox', { name: 'email' }).check();
      await page.getByRole('checkbox', { name: 'name', exact: true }).check();
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Save' }).click();
      await page
        .locator('dd')
        .getByText(/^(email,name|name,email)$/)
        .waitFor();
      await page.getByRole('button', { name: 'Send again since…' }).click();
      await page.getByRole('button', { name: 'Send again', exact: true }).click();
      await expect.poll(() => receiver.told).toContainEqual(['t-1 entered first']);
      await page.getByRole('row', { name: /Team tested.*Delivered/ }).waitFor();
    });

    test('a webhook is deleted after its name was typed, and an inner address is refused with the reason', async () => {
      const audience = await saveTeam('deleted', ['d-1']);
      removeAudience(audience);
      const { id } = await endpointAt('https://surveys.example.com/hooks', audience);
      const page = await scene().signedIn(`#/webhooks/${id}`);
      await page.getByRole('button', { name: 'Delete…' }).click();
      await page.getByLabel('To confirm').fill('surveys.example.com');
      await page.getByRole('button', { name: 'Delete the webhook' }).click();
      await page.getByText('No webhooks yet').waitFor();

      await page.getByRole('button', { name: 'New webhook' }).last().click();
      await page.getByLabel('URL', { exact: true }).fill('https://10.0.0.1/hooks');
      await page.getByRole('button', { name: 'Create webhook' }).click();

      await page.locator('label', { hasText: 'URL' }).getByText('is inside your network').waitFor();
      await expect.poll(() => page.getByText('WEBHOOK_ALLOW').count()).toBe(1);
    });

    test('an audience is sent somewhere from its page: to a new webhook, and to one that is there', async () => {
      const receiver = await WebhookReceiver.start();
      const [audience, other] = [await saveTeam('sent', ['s-1', 's-2']), await saveTeam('unsent', ['u-1'])];
      removeAudience(audience);
      removeAudience(other);
      const { id } = await endpointAt('https://surveys.example.com/hooks', other);
      const page = await scene().signedIn(`#/audiences/${audience.id}`);
      const sentTo = page.getByRole('group', { name: 'Sent to' });
      await sentTo.getByText('nowhere yet').waitFor();
      await page.getByText('Send to…').click();
      expect(await violationsOf(page)).toEqual([]);
      await page.getByRole('button', { name: 'A new webhook…' }).click();
      await expect.poll(() => page.url()).toContain('send=webhook');
      const form = page.getByRole('form', { name: 'Webhook' });
      await expect.poll(() => form.getByRole('checkbox').count()).toBe(1);
      await expect.poll(() => form.getByRole('textbox').count()).toBe(1);
      await expectAccessible(page, 'an audience that is to be sent');
      await page.getByLabel('URL', { exact: true }).fill(receiver.url);

      await page.getByRole('button', { name: 'Create webhook' }).click();

      await expect.poll(() => page.locator('.shown-once pre').innerText()).toMatch(/^whsec_/);
      await page.getByRole('button', { name: 'Done' }).click();
      await sentTo.getByText(/^last .*(ago|now)$/).waitFor({ timeout: 40_000 });
      await sentTo.getByText('Up to date').waitFor();
      await expectAccessible(page, 'an audience that is sent');
      expect(receiver.told.map((users) => users.toSorted())).toEqual([['s-1 entered first', 's-2 entered first']]);
      await page.getByText('Send to…').click();
      await page.getByRole('button', { name: 'surveys.example.com' }).click();
      await sentTo.getByRole('link', { name: 'surveys.example.com' }).waitFor();
      const { audiences } = (await (await scene().service.request(`/v1/endpoints/${id}`)).json()) as {
        readonly audiences: readonly string[];
      };
      expect(audiences).toEqual([other.id, audience.id]);
      await sentTo.getByRole('link').filter({ hasNotText: 'surveys' }).click();
      await page.getByRole('button', { name: 'Send a test' }).waitFor();
      onTestFinished(async () => remove(`/v1/endpoints/${/end_\w+/.exec(page.url())?.[0]}`));
      expect(complaintsOf(page)).toEqual([]);
    });

    test('a key without the permission has no webhooks in its navigation, and a link says what it takes', async () => {
      const page = await scene().signedIn('#/webhooks', { key: scene().empty.readKey });

      await page.getByText('This needs another key').waitFor();

      expect(await page.getByRole('navigation').getByRole('link', { name: 'Webhooks' }).count()).toBe(0);
    });

    test('a watch is made from a chart for a webhook that is chosen, is on Today, and is deleted there', async () => {
      // Nobody listens there, and nothing is sent: nobody enters the audience of it.
      const body = { url: 'http://127.0.0.1:9/', description: 'Night shift', types: ['watch.raised'] };
      const { id } = await call<MadeEndpoint>('POST', '/v1/endpoints', body);
      onTestFinished(async () => remove(`/v1/endpoints/${id}`));
      onTestFinished(async () => remove('/v1/watches/Few%20orders'));
      const page = await scene().signedIn('#/events/Order%20Completed?last=7d');

      await page.getByRole('button', { name: 'Call me…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Call me when…' });
      await dialog.getByLabel('When').selectOption({ label: 'Fewer came within an hour than' });
      await dialog.getByLabel('Events').fill('0');
      await dialog.getByLabel('Name', { exact: true }).fill('Few orders');
      await expectAccessible(page, 'a new watch');
      await expect.poll(() => dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
      await dialog.getByLabel('Night shift').check();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('status').getByText('Saved. Today lists it.').waitFor();

      const { watches } = await scene().service.ask<{ readonly watches: readonly object[] }>('/v1/watches');
      expect(watches).toMatchObject([
        { name: 'Few orders', question: { event: 'Order Completed' }, rule: { below: 0 }, endpoints: [id] },
      ]);
      await page.getByRole('link', { name: 'Today' }).first().click();
      const row = page.getByRole('row', { name: /^Few orders/ });
      await row.waitFor();
      await expectAccessible(page, 'Today with a watch');

      await row.getByRole('button', { name: 'Delete the watch Few orders' }).click();

      await row.waitFor({ state: 'detached' });
      expect(complaintsOf(page)).toEqual([]);
    });
  });
}
