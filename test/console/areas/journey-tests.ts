import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { READ_KEY, WRITE_KEY } from '../../support/service/service.ts';
import { startedService } from '../../support/service/shared-service.ts';
import { complaintsOf, type Scene, signIn } from '../scene.ts';

const run = promisify(execFile);

/** What somebody does from one screen to the next. */
export function testJourneys(scene: () => Scene): void {
  describe('journeys', () => {
    test('on an empty installation the first curl is copied and run, its event appears, reaches both stores, and leads to the user', async () => {
      const service = await startedService();
      const page = await scene().newPage(service.url);
      await signIn(page, READ_KEY);
      await page.getByText('Listening…').waitFor();

      const text = await page.locator('.get-started .command pre').innerText();
      const curl = text.replaceAll('YOUR_WRITE_KEY', WRITE_KEY);
      const { stdout } = await run('sh', ['-c', curl]);
      expect(stdout.match(/"receipt"/g)).toHaveLength(2);
      await expect.poll(() => page.locator('.ticks .done').count()).toBe(2);

      await page.getByRole('link', { name: 'watch Live' }).click();
      await page.getByText('Listening…').waitFor();
      await run('sh', ['-c', curl]);
      await page
        .getByRole('button', { name: /Order Completed/ })
        .nth(1)
        .waitFor();
      await page
        .getByRole('button', { name: /Order Completed/ })
        .first()
        .click();
      const message = page.getByRole('complementary', { name: 'Message' });
      await message.locator('.steps li.done').nth(2).waitFor();
      await message.getByText('129.9').waitFor();

      await message.getByRole('link', { name: 'ada' }).click();

      await page.getByRole('heading', { name: 'ada' }).waitFor();
      await page.locator('[data-row]').getByText('Order Completed').nth(1).waitFor();
      expect(complaintsOf(page)).toEqual([]);
    });
  });
}
