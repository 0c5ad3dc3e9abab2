/** Screens as they are without data, with a service that does not answer or is slow, and with names that are hard to show. */
import type { Page } from 'playwright-core';
import type { Shot } from './user-shots.ts';
import { HARD_EVENTS, LONG, type ShotData } from './shot-data.ts';

/** A screen in a state, with the text that is on it then. */
export interface State extends Omit<Shot, 'address'> {
  readonly path: string;
  /** The project that it is of; left out for the first. */
  readonly of?: 'empty' | 'names';
  readonly text: string | RegExp;
}

const EMPTY = {
  '': 'Get started',
  live: 'No messages yet',
  'live?tab=refusals': 'Nothing was rejected',
  events: 'No events yet',
  'events?view=funnel': 'No events yet',
  users: 'There are no users yet',
  audiences: 'No audiences yet',
  'audiences/new': 'Who is it about?',
  webhooks: 'No webhooks yet',
};

const [ARABIC_EVENT = '', , , LONG_EVENT = ''] = HARD_EVENTS;

const NAMED = {
  '': ARABIC_EVENT,
  live: 'Recorded before this page was opened',
  events: LONG_EVENT,
  users: LONG,
  audiences: LONG,
  'events?view=funnel&by=name': LONG,
};

/** What is shown of the first of a list. */
const FIRST_OF = { events: 'Show as a table', users: 'There is nothing earlier', audiences: 'Why?' };

const OF_A_PROJECT = ['', 'live', 'events', 'users', 'audiences', 'webhooks'];
const OF_ALL = ['pipeline', 'dead-letters', 'imports', 'backups', 'settings/audit', 'settings/forgotten'];
const WITH_LISTS = [...OF_A_PROJECT, ...OF_ALL];

/** As the service says it of a store that does not answer. */
const UNREACHABLE = {
  status: 503,
  contentType: 'application/problem+json',
  headers: { 'retry-after': '5' },
  body: JSON.stringify({
    type: 'urn:tidemark:problem:unavailable',
    title: 'Unavailable',
    status: 503,
    code: 'unavailable',
    detail: 'A store that this request needs is unavailable now. Send the same request again later.',
  }),
};

async function fail(page: Page): Promise<void> {
  await page.route('**/v1/**', async (route) => route.fulfill(UNREACHABLE));
}

async function neverAnswer(page: Page): Promise<void> {
  await page.route('**/v1/**', () => undefined);
}

async function openFirst(page: Page): Promise<void> {
  await page.locator('main [data-row]').first().click();
}

async function add(page: Page): Promise<void> {
  await page.getByRole('button', { name: '+ Condition' }).last().click();
}

async function search(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search' }).fill('example');
}

export const STATES: readonly State[] = [
  ...Object.entries(EMPTY).map(([path, text]) => ({ ...stateAt('empty', path), of: 'empty' as const, text })),
  ...WITH_LISTS.map((path) => ({
    ...stateAt('error', path),
    text: 'A part of the service is unavailable',
    before: fail,
  })),
  ...WITH_LISTS.map((path) => ({
    ...stateAt('loading', path),
    text: /^(?:Loading |Connecting…)/,
    before: neverAnswer,
  })),
  ...Object.entries(NAMED).map(([path, text]) => ({ ...stateAt('names', path), of: 'names' as const, text })),
  ...Object.entries(FIRST_OF).map(([path, text]) => {
    return { ...stateAt('names-one-of', path), of: 'names' as const, text, act: openFirst };
  }),
  { ...stateAt('names-adding-to', 'audiences/new'), of: 'names', text: LONG_EVENT, act: add },
  { ...stateAt('names-search', 'users'), of: 'names', text: 'fatima@example.com', act: search },
];

function stateAt(state: string, path: string): Pick<State, 'name' | 'path' | 'isAdmin'> {
  return { name: `${state}-${path === '' ? 'today' : path.replaceAll(/\W+/g, '-')}`, path, isAdmin: true };
}

/** The address of a state, whose project is one of these. */
export function addressOf({ path, of }: State, data: ShotData): string {
  if (of === undefined) return `#/${path}`;
  return `#/${path}${path.includes('?') ? '&' : '?'}project=${data[of]}`;
}

/** Once the state is as it should be. */
export async function arriveAt(page: Page, { text, act }: State): Promise<void> {
  await page.locator('h1').waitFor();
  await act?.(page);
  await page.getByText(text).filter({ visible: true }).first().waitFor();
}

export function stateShots(data: ShotData): readonly Shot[] {
  return STATES.map((state) => ({
    ...state,
    address: addressOf(state, data),
    act: async (page) => arriveAt(page, state),
  }));
}
