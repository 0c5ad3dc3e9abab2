/** Sends the shop to a service, over the interface that everybody has. */
import { setTimeout as delay } from 'node:timers/promises';
import { AUDIENCES, shopMessages, type Item, type ShopOptions } from './shop.ts';

export interface DemoTarget {
  readonly url: string;
  readonly writeKey: string;
  /** One that may save audiences. */
  readonly readKey: string;
  /** Where the key is an admin's, whose project it is. */
  readonly project?: string;
}

const ITEMS_A_BATCH = 1_000;
const BATCH_BYTES = 400_000;
const BATCHES_AT_ONCE = 4;

/** Resolves once everything can be queried, with how many messages there are. */
export async function fillWithShop(target: DemoTarget, options: ShopOptions): Promise<{ readonly messages: number }> {
  const batches = batchesOf(options);
  let messages = 0;
  const receipts = new Map<number, string>();
  const send = async (worker: number): Promise<void> => {
    for (const batch of batches) {
      const answer = await post(target, '/v1/batch', target.writeKey, { batch });
      receipts.set(worker, (answer as { receipt: string }).receipt);
      messages += batch.length;
    }
  };
  await Promise.all(Array.from({ length: BATCHES_AT_ONCE }, (_, worker) => send(worker)));
  for (const receipt of receipts.values()) await untilQueryable(target, receipt);
  for (const audience of AUDIENCES) await post(target, '/v1/audiences', target.readKey, audience);
  return { messages };
}

function* batchesOf(options: ShopOptions): Generator<readonly Item[]> {
  let batch: Item[] = [];
  let bytes = 0;
  for (const items of shopMessages(options)) {
    for (const item of items) {
      const length = JSON.stringify(item).length + 1;
      if (batch.length === ITEMS_A_BATCH || bytes + length > BATCH_BYTES) {
        yield batch;
        [batch, bytes] = [[], 0];
      }
      batch.push(item);
      bytes += length;
    }
  }
  if (batch.length > 0) yield batch;
}

async function post({ url, project }: DemoTarget, path: string, key: string, body: object): Promise<unknown> {
  for (;;) {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headersOf(key, project) },
      body: JSON.stringify(body),
    });
    if (response.ok) return response.json();
    const retryAfterS = Number(response.headers.get('retry-after'));
    // An audience of this name is there already: the shop was sent before.
    if (response.status === 409) return undefined;
    if (retryAfterS === 0) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    await delay(retryAfterS * 1_000);
  }
}

function headersOf(key: string, project: string | undefined): Record<string, string> {
  return { authorization: `Bearer ${key}`, ...(project !== undefined && { 'tidemark-project': project }) };
}

async function untilQueryable({ url, readKey, project }: DemoTarget, receipt: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}/v1/receipts/${receipt}?wait=30`, {
      headers: headersOf(readKey, project),
    });
    if (!response.ok) throw new Error(`the receipt answered ${response.status}: ${await response.text()}`);
    const { queryable, projected } = (await response.json()) as { queryable: boolean; projected: boolean };
    if (queryable && projected) return;
  }
}
