import type { Shot } from './user-shots.ts';

/** Pictures of webhooks; of one where there is one. */
export const WEBHOOK_SHOTS: readonly Shot[] = [
  {
    name: 'webhook',
    address: '#/webhooks',
    act: async (page) => {
      await page.waitForTimeout(1_000);
      const row = page.locator('main [data-row]').first();
      if ((await row.count()) === 1) await row.click();
      await page.waitForTimeout(1_500);
    },
  },
  {
    name: 'webhook-new',
    address: '#/webhooks',
    act: async (page) => {
      await page.waitForTimeout(1_000);
      await page.getByRole('button', { name: 'New webhook' }).filter({ visible: true }).first().click();
      await page.getByRole('combobox', { name: 'Audiences' }).selectOption('some');
      await page.waitForTimeout(300);
    },
  },
];
