/**
 * Messages beside an assistant's questions, 100 at once, in turn with the messages beside the same questions to
 * `POST /v1/audiences/preview`. A project has half of the places for questions: most of the 100 are told to come again.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { READ_KEY, type ServiceProcess } from '../../support/service/service.ts';
import { type Figures, median } from '../figures.ts';
import type { Form } from '../forms.ts';
import { withService } from '../http.ts';
import { LiveLoad, SESSION, USERS } from '../live/load.ts';
import { inPairs, MESSAGES_PER_SECOND, ratioOf, SECONDS, WARM_UP_SECONDS } from './messages.ts';

const AT_ONCE = 100;
/** From one hundred to the next. */
const EVERY_MS = 1_000;

const DEFINITION = {
  all: [
    { event: 'Order Completed', count: { at_least: 2 }, within: { last: '30d' } },
    { trait: 'plan', is: 'pro' },
  ],
};
const PREVIEW = JSON.stringify({ definition: DEFINITION });
const TOOL = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'previewAudience', arguments: { definition: DEFINITION } },
});

export async function benchMcp(figures: Figures, form: Form): Promise<void> {
  await withService(form, async (service) => {
    const size = { rate: MESSAGES_PER_SECOND, changes: 1, dues: 1, seconds: 1, anonymous: 0 };
    await new LiveLoad(service, size).run((USERS * SESSION) / size.rate, false);
    const answered = { previews: [] as number[], tools: [] as number[] };
    const pairs = await inPairs(
      service,
      async () => void answered.previews.push(await ask(service, '/v1/audiences/preview', PREVIEW)),
      async () => void answered.tools.push(await ask(service, '/mcp', TOOL)),
    );
    figures.add(`${form.title}messages beside ${AT_ONCE} previews, and tools, at once`, {
      ...ratioOf(pairs),
      'previews answered in a slice': [median(answered.previews), ''],
      'tools answered in a slice': [median(answered.tools), ''],
    });
  });
}

/** How many counted. */
async function ask(service: ServiceProcess, path: string, body: string): Promise<number> {
  const headers = { 'content-type': 'application/json', api_key: READ_KEY };
  const until = performance.now() + (WARM_UP_SECONDS + SECONDS) * 1_000;
  let counted = 0;
  while (performance.now() < until) {
    const next = delay(EVERY_MS);
    const one = async (): Promise<void> => {
      const text = await (await fetch(service.url + path, { method: 'POST', headers, body })).text();
      if (/"count":\d/.test(text)) counted++;
    };
    await Promise.all([next, ...Array.from({ length: AT_ONCE }, one)]);
  }
  return counted;
}
