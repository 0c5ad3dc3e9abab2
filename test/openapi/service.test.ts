import { expect, test } from 'vitest';
import { faultsOf } from '../support/openapi/answer.ts';
import { Document, type Operation } from '../support/openapi/document.ts';
import { READ_KEY, ServiceProcess, WRITE_KEY } from '../support/service/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const document = new Document('/elsewhere');

interface Sent {
  readonly path?: string;
  readonly body?: unknown;
}

/** Sends a request of this operation and returns the answer, which is as documented. */
async function answerOf(service: ServiceProcess, operation: Operation, { path, body }: Sent = {}): Promise<string> {
  const isWrite = operation.security.some((one) => Object.values(one)[0]?.[0] === 'write');
  const response = await fetch(service.url + (path ?? operation.path), {
    method: operation.method.toUpperCase(),
    headers: { 'x-api-key': isWrite ? WRITE_KEY : READ_KEY, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const copy = response.clone();
  expect(await faultsOf(document, operation, response)).toEqual([]);
  expect(response.status, `${operation.operationId}: ${await copy.clone().text()}`).toBe(200);
  return copy.text();
}

function examplesOf({ requestBody }: Operation): unknown[] {
  return Object.values(requestBody?.content['application/json']?.examples ?? {}).map(({ value }) => value);
}

test('the service, on its real stores, answers as its document says', { timeout: 120_000 }, async () => {
  const service = await ServiceProcess.start(await temporaryFolder(), { LEGACY_BASE_PATH: '/elsewhere' });
  const ask = (id: string, sent?: Sent): Promise<string> => answerOf(service, document.operation(id), sent);
  try {
    for (const id of ['identify', 'track', 'batch', 'projectUser', 'createProjectUser']) {
      for (const body of examplesOf(document.operation(id))) await ask(id, { body });
    }
    const user = { user_id: 'ada', anonymous: false };
    const { result } = JSON.parse(await ask('projectUser', { body: user })) as { result: Record<string, string> };
    const event = { user_id: result['user_id'], session_id: result['session_id'], event: { name: 'Opened' } };
    const added = JSON.parse(await ask('addEvent', { body: event })) as { result: { receipt: string } };

    const read = await ask('getReceipt', { path: `/v1/receipts/${added.result.receipt}?wait=30` });

    expect(JSON.parse(read)).toMatchObject({ projected: true, queryable: true });
    expect(JSON.parse(await ask('getUser', { path: '/v1/users/ada' }))).toMatchObject({ traits: { plan: 'pro' } });
    expect(await ask('listUserEvents', { path: '/v1/users/ada/events' })).toContain('"event":"Opened"');
    for (const body of examplesOf(document.operation('previewAudience'))) await ask('previewAudience', { body });
    for (const id of ['getFrontPage', 'getHealth', 'getReadiness', 'getMetrics']) await ask(id);
    expect(JSON.parse(await ask('getOpenApi'))).toEqual(document.raw);
  } finally {
    await service.stop();
  }
});
