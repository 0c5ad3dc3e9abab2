/** Pictures of users, of one user and of a message. */
import type { Page } from 'playwright-core';

export interface Shot {
  readonly name: string;
  readonly address: string;
  /** Whether it is of a session with the admin key. */
  readonly isAdmin?: boolean;
  /** What is done before the page is opened. */
  readonly before?: (page: Page) => Promise<void>;
  /** What is done before the picture. */
  readonly act?: (page: Page) => Promise<void>;
}

export const USER_SHOTS: readonly Shot[] = [
  {
    name: 'users-filtered',
    address: `#/users?where=${encodeURIComponent('[{"trait":"plan","is":"pro"}]')}`,
    act: async (page) => {
      await page.getByText('+ Only where…').click();
      await page.getByText('Columns', { exact: true }).first().click();
      await page.waitForTimeout(800);
    },
  },
  {
    name: 'message',
    address: '#/users/u-00042',
    act: async (page) => {
      await page.locator('.event-row').first().click();
      await page.locator('.details a').first().click();
      await page.waitForTimeout(1_500);
    },
  },
  {
    name: 'user-event',
    address: '#/users/u-00042',
    act: async (page) => {
      await page.locator('[data-row]').first().click();
      await page.locator('main details.menu summary').first().click();
      await page.waitForTimeout(300);
    },
  },
  {
    name: 'user-trait',
    address: '#/users/u-00042?history=plan&types=identify,session,audience',
    act: (page) => page.waitForTimeout(2_500),
  },
];
