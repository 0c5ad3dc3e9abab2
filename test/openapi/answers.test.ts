import { afterAll, beforeAll, expect, test } from 'vitest';
import { encodeMembersCursor } from '../../services/api/audiences/cursor.ts';
import { TidemarkError } from '../../services/runtime/errors.ts';
import { SETTLED_LETTER, UNDECODABLE_LETTER } from '../support/http/admin-parts.ts';
import { analyticsRowsFor } from '../support/stores/analytics-answers.ts';
import { exchangeSessions } from '../support/http/console-session-exchange.ts';
import { faultsOf } from '../support/openapi/answer.ts';
import { afresh, type Request, exchangeOperations } from '../support/openapi/operations.ts';
import { Document, type Operation } from '../support/openapi/document.ts';
import { AdminObjects, AUDIENCE, endpointRefusals, keptRefusals, pathOf } from '../support/openapi/objects.ts';
import { bodiesOf, headersOfPage, keyFor, successOf, TAKES_NOTHING } from '../support/openapi/requests.ts';
import { OTHER_READ_KEY, PROJECT, ReadingServer } from '../support/http/reading-server.ts';
import { hourly, plantSizes } from '../support/stores/planted-sizes.ts';
import { withoutJoins } from '../support/http/without-joins.ts';

const document = new Document();
let server: ReadingServer;
let objects: AdminObjects;
/** `operation status` of every answer seen and found to be as documented. */
const seen = new Set<string>();

beforeAll(async () => {
  server = await ReadingServer.start();
  server.analytics.hasCatalog = true;
  await server.addProfile('ada', { anonymous: true, anonymousIds: ['5b1f'], traits: '{"plan":"pro"}' });
  await plantSizes(
    server.database,
    'log',
    hourly(48, (hour) => hour * 2 ** 30),
  );
  Object.assign(server.folders, { dataDir: import.meta.dirname, log: import.meta.dirname });
  objects = await AdminObjects.make(server);
  server.addEvent('ada', { messageId: 'm1', sessionId: 's1', properties: '{"total":1e400}' });
});

afterAll(() => server.stop());

const secured = document.operations.filter(({ security }) => security.length > 0);
const withBody = document.operations.filter(
  ({ requestBody }) => requestBody?.content['application/json'] !== undefined,
);

/** Sends the request, holds the answer against the document, and returns its status. */
async function exchange(operation: Operation, request: Request = {}): Promise<number> {
  if (operation.path.startsWith('/v1/admin/imports')) await server.placeUpload();
  const response = await fetch(server.url + (request.path ?? (await pathOf(server, objects, operation))), {
    method: request.method ?? operation.method.toUpperCase(),
    headers: {
      api_key: request.key ?? keyFor(operation),
      'content-type': 'application/json',
      ...headersOfPage(server.url),
      ...request.headers,
    },
    ...(operation.requestBody === undefined
      ? {}
      : { body: request.body ?? (await bodiesOf(operation, server.url))[0] ?? '' }),
  });
  await holdAgainstDocument(operation, response);
  return response.status;
}

async function holdAgainstDocument(operation: Operation, response: Response): Promise<void> {
  expect(await faultsOf(document, operation, response)).toEqual([]);
  seen.add(`${operation.operationId} ${response.status in operation.responses ? response.status : 'default'}`);
}

async function whileUnreachable<T>(run: () => Promise<T>): Promise<T> {
  const stores = [server.log, server.analytics, server.database];
  for (const store of stores) store.unreachable = true;
  server.progress.unreachable = new TidemarkError('STORE_UNAVAILABLE', 'unreachable, as ordered');
  server.recorded.trouble = new TidemarkError('LOG_UNAVAILABLE', 'unreachable, as ordered');
  try {
    return await run();
  } finally {
    for (const store of stores) store.unreachable = false;
    server.progress.unreachable = undefined;
    server.recorded.trouble = undefined;
  }
}

test('every example of a body is accepted, and every answer is as documented', async () => {
  server.analytics.answer = ({ sql }) => ({ rows: analyticsRowsFor(sql), tookMs: 3, rowsRead: 5, bytesRead: 40 });
  server.analytics.lines = [{ user_id: null, anonymous_id: 'cookie', internal_id: 'a'.repeat(64) }];
  for (const operation of document.operations) {
    if (operation.operationId === 'listAudienceChanges') server.analytics.lines = [];
    const bodies = operation.requestBody === undefined ? [''] : await bodiesOf(operation, server.url);
    for (const body of bodies)
      expect(await exchange(operation, { body }), `${operation.operationId} ${body}`).toBe(successOf(operation));
  }
});

test('a membership that has not changed is answered as documented', async () => {
  const headers = { 'if-none-match': '*' };
  for (const id of ['listMemberships', 'evaluateFlags'])
    expect(await exchange(document.operation(id), { headers }), id).toBe(304);
});

test('what a replay would take is answered as documented', async () => {
  const path = '/v1/admin/generations?dry_run=true';

  expect(await exchange(document.operation('buildGeneration'), { path })).toBe(200);
});

test('a lenient batch is answered as documented', async () => {
  const batch = [
    { type: 'track', user_id: 'a', event: 'e' },
    { type: 'track', user_id: 7 },
  ];
  const headers = { prefer: 'handling=lenient' };

  expect(await exchange(document.operation('batch'), { body: JSON.stringify({ batch }), headers })).toBe(200);
});

test('a request without a key is refused as documented', async () => {
  for (const operation of secured) expect(await exchange(operation, { key: '' }), operation.operationId).toBe(401);
});

test('a body that is not JSON, or of another type, is refused as documented', async () => {
  for (const operation of withBody) {
    expect(await exchange(operation, { body: '{' }), operation.operationId).toBe(400);
    // Where nothing is required, `{}` is right.
    if (!TAKES_NOTHING.includes(operation.operationId))
      expect(await exchange(operation, { body: '{}' }), operation.operationId).toBe(400);
    const typed = { body: '{}', headers: { 'content-type': 'text/csv' } };
    expect(await exchange(operation, typed), operation.operationId).toBe(400);
  }
});

test('an If-Match that is no ETag is refused as documented', async () => {
  for (const id of ['replaceAudience', 'changeAudience', 'deleteAudience'])
    expect(await exchange(document.operation(id), { headers: { 'if-match': '1' } }), id).toBe(400);
});

const LIMITS: Readonly<Record<string, number>> = { batch: 512_000, signIn: 4_096, applyDefinitions: 4_194_304 };
/** What has a definition in it. */
const DEFINITIONS = /^\/(?:v1\/(?:audiences|funnels|(?:users|events)\/(?:query|counts)$)|mcp$)/;

test('a body past the limit is refused as documented', async () => {
  for (const operation of withBody) {
    const isSelection = /^\/v1\/admin\/(?:dead-letters\/|erasures$)/.test(operation.path);
    const usual = DEFINITIONS.test(operation.path) ? 512_000 : 32_768;
    const limit = LIMITS[operation.operationId] ?? (isSelection ? 1_048_576 : usual);
    const [body = ''] = await bodiesOf(operation, server.url);

    expect(await exchange(operation, { body: body.padEnd(limit) }), operation.operationId).toBe(successOf(operation));
    expect(await exchange(operation, { body: body.padEnd(limit + 1) }), operation.operationId).toBe(413);
  }
});

test('a request past the rate limit is refused as documented', async () => {
  // The rate of a project does not bind an admin key.
  for (const operation of secured.filter(({ scope }) => scope !== 'admin')) {
    const key = server.addLimitedKey(operation.scope ?? 'read', 0.001);
    await exchange(operation, { key });

    expect(await exchange(operation, { key }), operation.operationId).toBe(429);
  }
});

test('requests for unknown objects are refused as documented', async () => {
  expect(await exchange(document.operation('getUser'), { path: '/v1/users/nobody' })).toBe(404);
  expect(await exchange(document.operation('listEvents'), { path: '/v1/events?anonymous_id=nobody' })).toBe(404);
  expect(await exchange(document.operation('listUserEvents'), { path: '/v1/users/nobody/events' })).toBe(404);
  const memberships = { path: '/v1/users/ada/memberships?audiences=Nothing' };
  expect(await exchange(document.operation('listMemberships'), memberships)).toBe(404);
  const flag = document.operation('evaluateFlag');
  const [body = ''] = await bodiesOf(flag, server.url);
  expect(await exchange(flag, { body, path: '/ofrep/v1/evaluate/flags/Nothing' })).toBe(404);
  expect(await exchange(document.operation('getReferenceFile'), { path: '/docs/other.css' })).toBe(404);
  expect(await exchange(document.operation('getReceipt'), { key: OTHER_READ_KEY })).toBe(404);
  expect(await objects.erasureAnswers(server, document, exchange)).toEqual([200, 200, 404, 404, 200, 404, 409]);
  for (const operation of document.operations.filter(({ path }) => path.includes('{id}'))) {
    const request =
      operation.scope === 'admin' ? { path: operation.path.replace('{id}', 'none') } : { key: OTHER_READ_KEY };
    expect(await exchange(operation, request), operation.operationId).toBe(404);
  }
  for (const operation of document.operations.filter(({ path }) => path.includes('{number}'))) {
    const path = operation.path.replace('{kind}', 'profiles').replace('{number}', '9');
    expect(await exchange(operation, { path }), operation.operationId).toBe(404);
  }

  for (const id of ['compareAudiences', 'createEndpoint'])
    expect(await exchange(document.operation(id), { key: OTHER_READ_KEY }), id).toBe(404);
  server.analytics.answer = () => ({ rows: [], tookMs: 1, rowsRead: 0, bytesRead: 0 });
  for (const id of ['getMessage', 'explainVerdict', 'listUserAudiences', 'listCatalogProperties'])
    expect(await exchange(document.operation(id)), id).toBe(404);
  for (const id of ['getTraitHistory', 'exportUser', 'getUserTimeline', 'getUserActivity', 'unpin'])
    expect(await exchange(document.operation(id), { key: OTHER_READ_KEY }), id).toBe(404);
});

test('a question past its limits is refused as documented', async () => {
  server.analytics.answer = () => new TidemarkError('QUERY_LIMIT', 'The question reads too many rows.');

  const limited = document.operations.filter(({ responses }) => '422' in responses);
  server.evaluating = new TidemarkError('QUERY_LIMIT', 'The question reads too many rows.');
  for (const one of limited) expect(await exchange(one, afresh(one)), one.operationId).toBe(422);
  server.evaluating = undefined;
});

test('what stands in the way of another is refused as documented', async () => {
  const body = JSON.stringify({ name: 'Taken', definition: { trait: 'tier', is: 'gold' } });
  await exchange(document.operation('saveAudience'), { body });
  for (const id of ['saveAudience', 'replaceAudience', 'changeAudience']) {
    expect(await exchange(document.operation(id), { body }), id).toBe(409);
  }
  const refers = { name: 'Refers', definition: `{"audience":"${AUDIENCE}"}`, refreshMs: null };
  const other = await server.saved.create(PROJECT.id, refers);
  expect(await exchange(document.operation('deleteAudience'))).toBe(409);
  await server.saved.remove(PROJECT.id, other.id);
  server.evaluating = new TidemarkError('AUDIENCE_BUSY', 'being evaluated, as ordered');
  expect(await exchange(document.operation('evaluateAudience'))).toBe(409);
  server.evaluating = undefined;
  expect(await endpointRefusals(server, document, exchange)).toEqual([409, 409, 409]);
  expect(await keptRefusals(server, document, exchange)).toEqual([409, 409, 409, 404]);
  const joined = { body: JSON.stringify({ audience: AUDIENCE, to_join_ids: true }) };
  const compared = () => exchange(document.operation('compareAudiences'), joined);
  expect(await withoutJoins(server, compared)).toBe(409);
  const cursor = encodeMembersCursor({ audienceId: AUDIENCE, version: 2, now: 0n, after: 0n });
  const members = document.operation('listAudienceMembers');
  expect(await exchange(members, { path: `${await pathOf(server, objects, members)}?cursor=${cursor}` })).toBe(409);
});

test('a request that the state of its object forbids is refused as documented', async () => {
  const full = await server.admin.projects.createProject({ name: 'Full', timezone: 'UTC', rateLimit: null });
  await server.addProfile('ada', { projectId: full.id });
  const path = `/v1/admin/projects/${full.id}`;
  expect(await exchange(document.operation('deleteProject'), { path })).toBe(409);
  expect(await exchange(document.operation('deleteProject'), { path: `${path}?confirm=full` })).toBe(409);
  expect(await exchange(document.operation('deleteProject'), { path: `${path}?confirm=Full` })).toBe(202);
  expect(await exchange(document.operation('deleteProject'), { path: `${path}?dry_run=maybe` })).toBe(400);
  const generation = (number: number, step: string) => ({ path: `/v1/admin/generations/profiles/${number}/${step}` });
  expect(await exchange(document.operation('swapGeneration'), generation(1, 'swap'))).toBe(409);
  for (const id of [SETTLED_LETTER, UNDECODABLE_LETTER]) {
    const path = `/v1/admin/dead-letters/${encodeURIComponent(id)}/edit`;
    expect(await exchange(document.operation('editDeadLetter'), { path })).toBe(409);
  }
  expect(await exchange(document.operation('dropGeneration'), generation(1, 'drop'))).toBe(409);
  expect(await exchange(document.operation('rollbackGeneration'), generation(2, 'rollback'))).toBe(409);
});

test('what stands in the way of an import is refused as documented', async () => {
  expect(await objects.importRefusals(server, document, exchange)).toEqual({
    uploadImportFile: [413, 507, 409],
    continueImportFile: [413, 507, 409],
    startImport: [404],
    previewImport: [404],
    resumeImport: [409],
    listRefusedLines: [409],
  });
});

test('a parameter that an operation does not have is refused as documented', async () => {
  for (const operation of secured.filter(({ scope }) => scope !== 'write')) {
    const path = await pathOf(server, objects, operation);
    const unknown = `${path}${path.includes('?') ? '&' : '?'}order=up`;
    expect(await exchange(operation, { path: unknown }), operation.operationId).toBe(400);
  }
});

test('a change to what somebody else has changed is refused as documented', async () => {
  for (const id of ['replaceAudience', 'changeAudience', 'deleteAudience'])
    expect(await exchange(document.operation(id), { headers: { 'if-match': '"2"' } }), id).toBe(412);
});

test('requests are refused as documented while the stores are unavailable', async () => {
  // A status says what is unavailable.
  const statuses = ['getStatus', 'getProjectStatus', 'getDiagnosis'];
  for (const id of statuses) expect(await whileUnreachable(() => exchange(document.operation(id)))).toBe(200);
  for (const operation of secured.filter(
    ({ responses, operationId }) => '503' in responses && !statuses.includes(operationId),
  )) {
    const [body = ''] = await bodiesOf(operation, server.url);

    expect(await whileUnreachable(() => exchange(operation, afresh(operation, body))), operation.operationId).toBe(503);
  }
  server.ready = false;
  expect(await exchange(document.operation('getReadiness'))).toBe(503);
  server.ready = true;
});

test('a wrong method is refused as documented', async () => {
  for (const operation of secured) {
    const path = await pathOf(server, objects, operation);
    await holdAgainstDocument(operation, await fetch(server.url + path, { method: 'OPTIONS' }));
  }
});

test('sessions of the console are answered as documented', () =>
  exchangeSessions(server.url, (id, request) => exchange(document.operation(id), request), whileUnreachable));

test('what has not changed, metrics without their key, and notifications, are answered as documented', () =>
  exchangeOperations(document, exchange, holdAgainstDocument));

test('every documented answer has been checked', () => {
  const documented = document.operations.flatMap(({ operationId, responses }) =>
    Object.keys(responses).map((status) => `${operationId} ${status}`),
  );

  expect(documented.filter((answer) => !seen.has(answer))).toEqual([]);
});
