import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { complaintsOf, type Scene } from '../scene.ts';
import { expectAccessible } from './screens-tests.ts';

export function testBackups(scene: () => Scene): void {
  describe('backups', () => {
    test('a backup is made at once, listed with what it wrote, and the page says how it is checked', async () => {
      const page = await scene().signedIn('#/backups', { isAdmin: true });
      await page.getByText('No backups yet').waitFor();
      await expectAccessible(page, 'no backups');

      await page.getByRole('button', { name: 'Back up now' }).click();

      const row = page.locator('tbody tr');
      await row.getByText('Done').waitFor();
      await expect.poll(() => row.innerText()).toMatch(/[\d,]{3,}\s+[\d.]+ (?:KiB|MiB)/);
      await expect.poll(() => page.locator('.facts').innerText()).toMatch(/Last backup\s+(?:just now|\d+ second)/);
      expect(existsSync(scene().backupDir)).toBe(true);
      await page.getByText(`tidemark backup check ${scene().backupDir}`).waitFor();
      await expectAccessible(page, 'backups');
      expect(complaintsOf(page)).toEqual([]);
    });
  });
}
