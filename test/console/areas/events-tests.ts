import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { READ_KEY, WRITE_KEY } from '../../support/service/service.ts';
import { complaintsOf, type Scene } from '../scene.ts';
import { paddingLeft } from './audiences-tests.ts';

interface CountsAnswer {
  readonly buckets: readonly unknown[];
  readonly series: readonly { readonly value: unknown; readonly values: readonly number[] }[];
}

const ORDERS = '#/events/Order%20Completed';

export function testEvents(scene: () => Scene): void {
  const post = async (path: string, body: string, key = READ_KEY): Promise<Response> =>
    fetch(scene().url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body,
    });

  const counts = async (question: object): Promise<CountsAnswer> =>
    (await (await post('/v1/events/counts', JSON.stringify(question))).json()) as CountsAnswer;

  const figureOf = async (page: Page): Promise<string> => page.locator('.total b').first().innerText();

  describe('events', () => {
    test('the catalog lists every name with its count and its last days, which are one question', async () => {
      const page = await scene().signedIn('#/users');
      await page.getByText('u-00001').waitFor();
      let questions = 0;
      page.on('request', (request) => {
        if (request.url().endsWith('/v1/events/counts')) questions++;
      });
      await page.goto(`${scene().url}/console/#/events`);

      await expect.poll(() => page.locator('.days svg').count()).toBeGreaterThan(4);

      expect(questions).toBe(1);
      const { series } = await counts({ event: 'Order Completed', measure: 'count', within: { last: '14d' } });
      const row = page.getByRole('row', { name: /^Order Completed/ });
      await row.getByRole('img', { name: `${series[0]?.values[0]} in the last 14 days` }).waitFor();
      expect(await row.locator('.number + td').evaluate(paddingLeft)).toBeGreaterThanOrEqual(24);
      expect(complaintsOf(page)).toEqual([]);
    });

    test('an event is found by a part of its name as one types, opens with Enter, and Back goes back', async () => {
      const page = await scene().signedIn('#/events');
      await page.getByRole('link', { name: 'Page Viewed' }).waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('order');
      await expect.poll(() => page.locator('[data-row]').allInnerTexts()).toEqual(['Order Completed']);
      await page.keyboard.press('Escape');

      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page.getByRole('slider').waitFor();

      await expect.poll(() => page.url()).toContain(ORDERS);
      await page.goBack();
      await expect.poll(() => page.url()).toContain('search=order');
      await page.goto(`${scene().url}/console/#/events?search=Nothing+Like+This`);
      await page.getByText('No event found').waitFor();
    });

    test('the figure is what the service answers, and arrow keys move through the chart and say each value', async () => {
      const page = await scene().signedIn(`${ORDERS}?last=7d`);
      const question = { event: 'Order Completed', measure: 'count', within: { last: '7d' } };
      const { series } = await counts({ ...question, interval: 'day' });
      const whole = await counts(question);
      const chart = page.getByRole('slider', { name: 'events for each day' });
      await chart.focus();
      const valueText = async (): Promise<string | null> => chart.getAttribute('aria-valuetext');
      await expect.poll(() => figureOf(page)).toBe(String(whole.series[0]?.values[0]));
      await expect.poll(valueText).toMatch(/ so far: events \d+$/);

      await page.keyboard.press('ArrowLeft');

      const values = series[0]?.values ?? [];
      const said = (value: number | undefined): RegExp =>
        new RegExp(String.raw`^\w+, \d+ \w+ 20\d\d.*: events ${value}$`);
      await expect.poll(valueText).toMatch(said(values.at(-2)));
      await page.keyboard.press('Home');
      await expect.poll(valueText).toMatch(said(values[0]));
      await page.getByText('Show as a table').click();
      await expect.poll(() => page.locator('.same-table tbody tr').count()).toBe(values.length);
    });

    test('few points are bars, and the values are at the pointer', async () => {
      const page = await scene().signedIn(`${ORDERS}?last=7d`);
      const { series } = await counts({
        event: 'Order Completed',
        measure: 'count',
        within: { last: '7d' },
        interval: 'day',
      });
      const values = series[0]?.values ?? [];

      await expect.poll(() => page.locator('.chart rect').count()).toBe(values.length);
      await page.locator('.chart').hover({ position: { x: 60, y: 100 } });

      await expect
        .poll(() => page.locator('.chart-values').innerText())
        .toMatch(new RegExp(String.raw`\s${values[0]}$`));
      await page.goto(`${scene().url}/console/${ORDERS}?last=7d&split=trait:plan`);
      await page.locator('.legend').waitFor();
      await page.locator('.chart').hover();
      await expect.poll(() => page.locator('.chart-values p').count()).toBeGreaterThan(1);
    });

    test('the figures are saved as CSV, and the link is copied', async () => {
      const page = await scene().signedIn(`${ORDERS}?measure=sum&of=total&last=7d`);
      const question = {
        event: 'Order Completed',
        measure: 'sum',
        of: 'total',
        within: { last: '7d' },
        interval: 'day',
      };
      const { series } = await counts(question);
      const values = series[0]?.values ?? [];

      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download CSV' }).click(),
      ]);

      const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\n');
      expect(download.suggestedFilename()).toBe('order-completed-sum-of-total.csv');
      expect(lines[0]).toBe('day,This period');
      // The first day and the last are cut by the instant of the question.
      expect(lines.slice(2, -1).map((line) => Number(line.split(',')[1]))).toEqual(values.slice(1, -1));
    });

    test('measure, split, comparison and period are in the address, each a step of Back', async () => {
      const page = await scene().signedIn(ORDERS);
      await page.getByRole('slider').waitFor();

      await page.getByRole('combobox', { name: 'Measure' }).selectOption('sum');
      await page.getByRole('combobox', { name: 'Property' }).selectOption('total');
      await page.getByRole('combobox', { name: 'Split by' }).selectOption('trait:plan');
      await page.getByLabel('Compare').check();
      await page.getByLabel('Period: Last 30 days').click();
      await page.getByRole('button', { name: 'Last 24 hours' }).click();

      await expect.poll(() => page.url()).toContain('last=24h');
      await expect.poll(() => page.url()).toMatch(/measure=sum&of=total&split=trait%3Aplan&compare=previous&last=24h/);
      await expect.poll(() => page.getByRole('combobox', { name: 'For each' }).inputValue()).toBe('hour');
      await page.goBack();
      const legend = page.locator('.legend');
      await legend.getByText('Whole period').waitFor();
      const { series } = await counts({
        event: 'Order Completed',
        measure: 'sum',
        of: 'total',
        within: { last: '30d' },
        split: { trait: 'plan', top: 5 },
      });
      // What was asked before stays until the next answer is there.
      await expect.poll(() => legend.locator('tbody tr').count()).toBe(series.length);
      const free = series.find(({ value }) => value === 'free')?.values[0];
      await expect
        .poll(async () => (await legend.getByRole('row', { name: /^free/ }).innerText()).replaceAll(',', ''))
        .toContain(String(free));
      await page.goBack();
      await expect.poll(() => page.getByLabel('Compare').isChecked()).toBe(false);
    });

    test('an address that is opened shows what it says, also days that were chosen', async () => {
      const page = await scene().signedIn(
        `${ORDERS}?measure=percentile&of=total&p=95&since=2020-01-01&until=2020-02-01&interval=week`,
      );

      await page.getByText('No data in this period.').waitFor();

      await expect.poll(() => page.getByRole('combobox', { name: 'Percentile' }).inputValue()).toBe('95');
      await expect.poll(() => page.getByRole('combobox', { name: 'For each' }).inputValue()).toBe('week');
      await page.getByText('No such events in this period.').waitFor();
      await page.getByLabel('Period: 2020-01-01 to before 2020-02-01').click();
      await expect.poll(() => page.getByLabel('Since').inputValue()).toBe('2020-01-01');
      await page.getByLabel('Before', { exact: true }).fill('2020-03-01');
      await page.getByRole('button', { name: 'Show these days' }).click();
      await expect.poll(() => page.url()).toContain('since=2020-01-01&until=2020-03-01');
    });

    test('a condition narrows chart and list, can be removed, and numbers are numbers', async () => {
      const page = await scene().signedIn(ORDERS);
      await page.getByRole('slider').waitFor();
      const before = Number(await figureOf(page));

      await page.getByRole('button', { name: 'Only where' }).click();
      await page.getByRole('combobox', { name: 'Property' }).fill('total');
      await page.getByRole('combobox', { name: 'Comparison' }).selectOption('gt');
      await page.getByRole('textbox', { name: 'Value' }).fill('100.50');
      await page.keyboard.press('Enter');

      await page.getByText('total is more than 100.50').waitFor();
      const question = { event: 'Order Completed', measure: 'count', within: { last: '30d' } };
      const narrow = await counts({ ...question, where: [{ property: 'total', gt: 100.5 }] });
      const expected = narrow.series[0]?.values[0] ?? 0;
      expect(expected).toBeLessThan(before);
      await expect.poll(() => figureOf(page)).toBe(String(expected));
      await expect.poll(() => decodeURIComponent(page.url())).toContain('where=[{"property":"total","gt":100.50}]');
      await page.getByRole('button', { name: 'Remove: total is more than 100.50' }).click();
      await expect.poll(() => figureOf(page)).toBe(String(before));
    });

    test('the newest events open with every digit, and lead to their user', async () => {
      const properties = '{"total":12345678901234567890.10,"name":"<b>bold</b>"}';
      const body = `{"user_id":"grace","event":"Digits Counted","properties":${properties}}`;
      expect((await post('/v1/track', body, WRITE_KEY)).status).toBe(200);
      const page = await scene().signedIn('#/users');
      await page.getByText('u-00001').waitFor();
      // A process keeps a catalog for half a minute.
      await expect
        .poll(
          async () =>
            (
              await fetch(`${scene().url}/v1/catalog/events/Digits%20Counted/properties`, {
                headers: { authorization: `Bearer ${READ_KEY}` },
              })
            ).status,
          { timeout: 50_000 },
        )
        .toBe(200);
      await page.goto(`${scene().url}/console/#/events/Digits%20Counted?measure=sum&of=total`);
      await page.getByText('No earlier events in this period.').waitFor();

      await page.locator('.newest-row').click();

      await page.locator('.details').getByText('12345678901234567890.10').waitFor();
      await page.locator('.details').getByText('"<b>bold</b>"').waitFor();
      await expect.poll(() => page.url()).toContain('open=');
      await page.locator('.details').getByRole('link', { name: 'grace' }).click();
      await page.getByRole('heading', { name: 'grace' }).waitFor();
    });

    test('an audience of the same users is a definition that the service takes', async () => {
      const page = await scene().signedIn(`${ORDERS}?last=7d&where=[{"property":"total","gte":20}]`);
      const link = await page.getByRole('link', { name: 'Make an audience' }).getAttribute('href');

      const definition = new URLSearchParams(link?.split('?')[1]).get('definition') ?? '';

      expect(link).toMatch(/^#\/audiences\/new\?/);
      expect(JSON.parse(definition)).toEqual({
        event: 'Order Completed',
        where: [{ property: 'total', gte: 20 }],
        within: { last: '7d' },
      });
      expect((await post('/v1/audiences/preview', `{"definition":${definition}}`)).status).toBe(200);
    });

    test('the same question is there for a terminal, with the body that was asked', async () => {
      const page = await scene().signedIn(`${ORDERS}?measure=users&split=property:currency`);
      await page.getByLabel('Copy as…').first().click();

      const command = await page.locator('.command pre').first().innerText();

      expect(command).toContain('/v1/events/counts');
      expect(command).toContain('"split":{"property":"currency","top":5}');
    });

    test('an event that nobody sent, and a project without any, say what to do', async () => {
      const page = await scene().signedIn('#/events/Nobody%20Does%20This');
      await page.getByText('No event has this name').waitFor();
      const empty = await scene().signedIn('#/events?order=name', { key: scene().empty.readKey });
      await empty
        .getByText(/No events yet|Recorded/)
        .first()
        .waitFor();
    });
  });
}
