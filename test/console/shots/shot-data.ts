/** What pictures show that the demo does not have. It is taken away again. */
import { setTimeout as delay } from 'node:timers/promises';

export interface ShotTarget {
  readonly url: string;
  readonly readKey: string;
  readonly writeKey: string;
  readonly adminKey: string;
}

export interface ShotData {
  /** Ids of projects: without data, and with names that are long or written from right to left. */
  readonly empty: string;
  readonly names: string;
  readonly remove: () => Promise<void>;
}

const PINS = {
  'Orders by plan': 'events/Order%20Completed?last=7d&split=trait%3Aplan',
  'Revenue of a month': 'events/Order%20Completed?measure=sum&of=total',
  'Users on pro': `users?where=${encodeURIComponent('[{"trait":"plan","is":"pro"}]')}`,
};

export const LONG =
  'Katharina-Magdalena Wilhelmine von Hohenlohe-Waldenburg-Schillingsfürst zu Bartenstein und Jagstberg';
const ARABIC = 'فاطمة بنت محمد الفهرية القرشية';
export const HARD_EVENTS = [
  'تمت عملية الشراء بنجاح',
  'הזמנה הושלמה בהצלחה',
  `checkout.${'payment_method_confirmation_dialog_'.repeat(3)}dismissed`,
  'Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenverkaufsabschlussbestätigung',
];

export async function putShotData(target: ShotTarget): Promise<ShotData> {
  const call = caller(target);
  for (const [name, address] of Object.entries(PINS))
    await call('PUT', `/v1/pins/${encodeURIComponent(name)}`, { address }, target.readKey);
  await reject(target);
  const stamp = Date.now().toString(36);
  const [empty, names] = await Promise.all([`Nothing yet ${stamp}`, `${LONG} ${stamp}`].map(projectCalled(call)));
  if (empty === undefined || names === undefined) throw new Error('Two projects were to be made.');
  await fillWithNames(call, names.id);
  const remove = async (): Promise<void> => {
    for (const name of Object.keys(PINS))
      await call('DELETE', `/v1/pins/${encodeURIComponent(name)}`, undefined, target.readKey);
    for (const { id, name } of [empty, names])
      await call('DELETE', `/v1/admin/projects/${id}?confirm=${encodeURIComponent(name)}`);
  };
  return { empty: empty.id, names: names.id, remove };
}

type AskAs = (method: string, path: string, body?: object, key?: string) => Promise<unknown>;

function caller({ url, adminKey }: ShotTarget): AskAs {
  return async (method, path, body, key = adminKey) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
    const answer = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} is answered ${answer.status}: ${text}`);
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  };
}

interface Made {
  readonly id: string;
  readonly name: string;
}

function projectCalled(call: AskAs): (name: string) => Promise<Made> {
  return async (name) => (await call('POST', '/v1/admin/projects', { name })) as Made;
}

async function reject({ url, writeKey }: ShotTarget): Promise<void> {
  const bodies = {
    '/v1/identify': [{ user_id: 'u-00001', traits: '{"plan":"pro"}' }],
    '/v1/track': [
      { event: 'Order Completed', properties: { total: 12 } },
      { user_id: 17, event: 'Page Viewed' },
    ],
  };
  for (const [path, items] of Object.entries(bodies))
    for (const body of items)
      await fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${writeKey}` },
        body: JSON.stringify(body),
      });
}

async function fillWithNames(call: AskAs, project: string): Promise<void> {
  const made = (await call('POST', `/v1/admin/projects/${project}/keys`, { name: LONG, scopes: ['write'] })) as {
    readonly key: string;
  };
  const people = [
    { user_id: 'u-1', name: ARABIC, email: 'fatima@example.com', plan: 'احترافي' },
    { user_id: 'u-2', name: 'דוד בן־גוריון', email: 'david@example.com', plan: 'חינם' },
    { user_id: `customer-${'0123456789abcdef'.repeat(5)}`, name: LONG, email: `${'very.'.repeat(16)}long@example.com` },
    { user_id: 'u-4', name: '<b>Bobby</b> "Tables" & Söhne', email: 'bobby@example.com', plan: 'pro' },
  ];
  const identifies = people.map(({ user_id: userId, ...traits }) => ({ type: 'identify', userId, traits }));
  const tracks = people.flatMap(({ user_id: userId }) =>
    HARD_EVENTS.map((event) => ({
      type: 'track',
      userId,
      event,
      properties: { اسم: ARABIC, comment: LONG.repeat(3) },
    })),
  );
  await call('POST', '/v1/batch', { batch: [...identifies, ...tracks] }, made.key);
  const inProject = `?project=${project}`;
  const definition = { all: [{ event: HARD_EVENTS[0] }, { event: HARD_EVENTS[3] }, { trait: 'name', exists: true }] };
  for (const name of [`${LONG}: ${HARD_EVENTS[3]}`, 'العملاء الذين اشتروا ولم يعودوا'])
    await call('POST', `/v1/audiences${inProject}`, { name, refresh: 'live', definition, note: LONG });
  await untilCounted(call, inProject);
}

async function untilCounted(call: AskAs, inProject: string): Promise<void> {
  const end = performance.now() + 120_000;
  for (;;) {
    const { audiences } = (await call('GET', `/v1/audiences${inProject}`)) as {
      readonly audiences: readonly { readonly evaluation: { readonly members: number } | null }[];
    };
    const { events } = (await call('GET', `/v1/catalog/events${inProject}`)) as { readonly events: readonly object[] };
    const isCounted = audiences.every(({ evaluation }) => (evaluation?.members ?? 0) > 0);
    if ((isCounted && events.length >= HARD_EVENTS.length) || performance.now() > end) return;
    await delay(300);
  }
}
