/** What the paths of operators name in the tests of the OpenAPI document. */
import { IMPORT_DEFAULTS } from '../../../services/operations/import/import-options.ts';
import { MAX_ENDPOINTS } from '../../../services/webhooks/endpoint-store.ts';
import { TOPIC_URL } from '../../../services/webhooks/topic.ts';
import { SqlProjectStore } from '../../../services/stores/projects/sql-project-store.ts';
import { encodeReceipt } from '../../../services/messages/receipt/receipt.ts';
import { receiptSignerOf } from '../../../services/messages/receipt/receipt-signer.ts';
import { DEAD_LETTER, NOBODY_ID } from '../http/admin-parts.ts';
import { insertEndpoint } from '../http/inserted-rows.ts';
import type { Database } from '../../../services/stores/database/database.ts';
import type { Document, Operation } from './document.ts';
import { QUERIES } from './requests.ts';
import { PROJECT, type ReadingServer } from '../http/reading-server.ts';

export const AUDIENCE = 'aud_00000000000000000001';

/** A path of a project with what it names, which is there: an earlier request may have deleted it. */
async function withProjectObjects(server: ReadingServer, { path, operationId }: Operation): Promise<string> {
  const audience = await server.addAudience(AUDIENCE);
  const { endpoint, delivery } = await insertEndpoint(server.database.real, PROJECT.id, AUDIENCE);
  if (path.startsWith('/v1/pins')) await insertPinsAndNotes(server.database.real, 1);
  if (path.startsWith('/v1/watches')) await insertWatches(server.database.real, 1);
  const [note] = path.startsWith('/v1/notes') ? await insertPinsAndNotes(server.database.real, 1) : [];
  return path
    .replace('{user_id}', operationId === 'forgetUser' ? 'forgotten' : 'ada')
    .replace('{name}', 'plan')
    .replace('{file}', 'swagger-ui.css')
    .replace('{key}', audience.id)
    .replace('{id}', note ?? (path.startsWith('/v1/endpoints') ? endpoint : audience.id))
    .replace('{delivery}', delivery);
}

const PLACE = { topic: 'tidemark.track', partition: 0, offset: 0n, appendedAtMs: 0 };
const RECEIPT = encodeReceipt(receiptSignerOf(PROJECT), 0, [PLACE]);

/** The path of an operation with what it names, and the parameters that it needs. */
export async function pathOf(server: ReadingServer, objects: AdminObjects, operation: Operation): Promise<string> {
  const { path, operationId } = operation;
  const number = operationId === 'rollbackGeneration' ? 'live' : '2';
  if (path.startsWith('/v1/admin/')) {
    const id = await objects.idIn(server, operation);
    return path.replace('{id}', id).replace('{kind}', 'profiles').replace('{number}', number);
  }
  const named = await withProjectObjects(server, operation);
  return `${named}${QUERIES[operationId] ?? ''}`.replace('{receipt}', RECEIPT).replace('{message_id}', 'm1');
}

/** Answers where a project has as many endpoints as it may, and to a new secret for one that is a topic. */
export async function endpointRefusals(
  server: ReadingServer,
  document: Document,
  exchange: (operation: Operation, request?: { readonly path?: string; readonly body?: string }) => Promise<number>,
): Promise<readonly number[]> {
  const { endpoints, database } = server;
  const [create, rotate] = [document.operation('createEndpoint'), document.operation('rotateEndpointSecret')];
  for (let n = 0; n < MAX_ENDPOINTS; n++) await exchange(create);
  const tooMany = await exchange(create);
  await database.query('delete from endpoints');
  const id = (await insertEndpoint(database.real, PROJECT.id, AUDIENCE)).endpoint;
  await endpoints.update(PROJECT.id, id, { url: TOPIC_URL });
  const unsigned = await exchange(rotate, { path: rotate.path.replace('{id}', id) });
  await database.query('delete from endpoints');
  server.isOnKafka = false;
  const body = JSON.stringify({ endpoints: [{ url: TOPIC_URL }] });
  const withoutKafka = await exchange(document.operation('applyDefinitions'), { body });
  server.isOnKafka = true;
  return [tooMany, unsigned, withoutKafka];
}

/** As many pins, the first of them `plan`, and notes, in place of what there was. Returns the ids of the notes. */
async function insertPinsAndNotes(database: Database, pins: number, notes = pins): Promise<readonly string[]> {
  await database.script('delete from pins; delete from notes');
  await database.query(
    `insert into pins (project_id, name, address, pinned_at_ms)
     select $1, case n when 1 then 'plan' else 'pin ' || n end, 'events', n from generate_series(1, $2::int4) n`,
    [PROJECT.id, pins],
  );
  const rows = await database.query<{ readonly id: string }>(
    `insert into notes (id, project_id, at, text) select 'note_' || n, $1, n, 'Sale' from generate_series(1, $2::int4) n
     returning id`,
    [PROJECT.id, notes],
  );
  return rows.map(({ id }) => id);
}

/** As many watches, the first of them `plan`, in place of what there was. */
async function insertWatches(database: Database, watches: number): Promise<void> {
  await database.script('delete from watches where project_id is not null');
  await database.query(
    `insert into watches (id, project_id, name, definition)
     select 'watch_' || n, $1, case n when 1 then 'plan' else 'watch ' || n end,
            '{"question":{},"rule":{"above":1},"endpoints":null}' from generate_series(1, $2::int4) n`,
    [PROJECT.id, watches],
  );
}

/** Answers where a project has as many pins, notes and watches as it may, and where a watch names an endpoint that is not there. */
export async function keptRefusals(
  { database }: ReadingServer,
  document: Document,
  exchange: (operation: Operation, request?: { readonly path: string; readonly body?: string }) => Promise<number>,
): Promise<readonly number[]> {
  await insertPinsAndNotes(database.real, 6, 1_000);
  await insertWatches(database.real, 50);
  const watch = { question: {}, rule: { above: 1 }, endpoints: ['end_00000000000000000000'] };
  const answers = [
    await exchange(document.operation('pin'), { path: '/v1/pins/Seventh' }),
    await exchange(document.operation('addNote'), { path: '/v1/notes' }),
    await exchange(document.operation('saveWatch'), { path: '/v1/watches/Next' }),
    await exchange(document.operation('saveWatch'), { path: '/v1/watches/plan', body: JSON.stringify(watch) }),
  ];
  await insertPinsAndNotes(database.real, 0);
  await insertWatches(database.real, 0);
  return answers;
}

/** The id of a project that has nothing. */
async function emptyProject({ database }: ReadingServer): Promise<string> {
  const project = { name: 'Empty', timezone: 'UTC', rateLimit: null };
  return (await new SqlProjectStore(database.real).createProject(project)).id;
}

export class AdminObjects {
  readonly #ids: Readonly<Record<string, string>>;
  /** Imports that were not continued yet, and one that was stopped. */
  readonly #imports: Readonly<Record<'queued' | 'stopped', string>>;
  readonly #file: string;

  private constructor(
    ids: Readonly<Record<string, string>>,
    imports: Record<'queued' | 'stopped', string>,
    file: string,
  ) {
    this.#ids = ids;
    this.#imports = imports;
    this.#file = file;
  }

  static async make(server: ReadingServer): Promise<AdminObjects> {
    const { projects: store, jobs: jobStore } = server.admin;
    const projects = (await store.createProject({ name: 'Shop', timezone: 'UTC', rateLimit: null })).id;
    const keys = (await store.addKey(projects, { scopes: ['write'], sha256: 'a'.repeat(64) })).id;
    const jobs = (await jobStore.add({ kind: 'verify', args: {}, principal: 'local' }, 'nobody')).id;
    const file = await server.placeUpload();
    const imported = { project: projects, name: 'history.csv', file, host: 'here', folder: 'imp_1', anywhere: false };
    const args = { ...IMPORT_DEFAULTS, ...imported };
    const queued = (await jobStore.add({ kind: 'import', args, principal: 'local' }, 'nobody')).id;
    const stopped = (await jobStore.add({ kind: 'import', args, principal: 'local' }, 'nobody')).id;
    const nothing = { result: null, failure: null, progress: null, rate: null };
    await jobStore.finish(stopped, { state: 'cancelled', ...nothing }, 'nobody');
    const people = { users: [{ userKey: 'a'.repeat(64), name: 'ada', isAnonymous: false }], suppress: true };
    const forgetting = { ...people, projectId: projects, actor: 'local' };
    const [erasure] = (await server.admin.ports.erasures.request(forgetting)).erasures;
    const ids = {
      projects,
      keys,
      jobs,
      erasures: erasure?.id ?? '',
      verifications: jobs,
      'dead-letters': encodeURIComponent(DEAD_LETTER),
    };
    return new AdminObjects(ids, { queued, stopped }, file);
  }

  /** By what the path begins with. */
  async idIn(server: ReadingServer, { path, operationId }: Operation): Promise<string> {
    if (operationId === 'deleteProject') return emptyProject(server);
    const { queued, stopped } = this.#imports;
    if (path.startsWith('/v1/admin/imports/files/')) return this.#file;
    if (path.startsWith('/v1/admin/imports/')) return path.endsWith('/resume') ? stopped : queued;
    return this.#ids[path.split('/')[3] ?? ''] ?? '';
  }

  /** Dry runs of erasures, and requests that name nobody who is known, and no project. */
  async erasureAnswers(
    server: ReadingServer,
    document: Document,
    exchange: (operation: Operation, request?: { readonly path?: string; readonly body?: string }) => Promise<number>,
  ): Promise<readonly number[]> {
    const [one, several] = [document.operation('forgetUser'), document.operation('forgetUsers')];
    const path = (id: string): string => `/v1/users/${id}?project=${PROJECT.id}`;
    const body = JSON.stringify({ project: PROJECT.id, users: [{ user_id: NOBODY_ID }], dry_run: true });
    const planned = [await exchange(one, { path: `${path('ada')}&dry_run=true` }), await exchange(several, { body })];
    const unknown = await exchange(one, { path: path(NOBODY_ID) });
    server.admin.projectIsUnknown = true;
    const answers = [...planned, unknown, await exchange(several)];
    server.admin.projectIsUnknown = false;
    return [...answers, ...(await eventErasureAnswers(document, exchange))];
  }

  /** What stands in the way of imports, one after the other; once the stopped one was continued. */
  async importRefusals(
    server: ReadingServer,
    document: Document,
    exchange: (operation: Operation, request?: { readonly path?: string; readonly body?: string }) => Promise<number>,
  ): Promise<Readonly<Record<string, readonly number[]>>> {
    const { stopped } = this.#imports;
    const refusals: Record<string, readonly number[]> = {};
    for (const id of ['uploadImportFile', 'continueImportFile']) {
      const operation = document.operation(id);
      const tooLarge = await exchange(operation, { body: ' '.repeat(5_000) });
      server.hasRoom = false;
      const noRoom = await exchange(operation);
      server.hasRoom = true;
      server.imports.takesFiles = false;
      refusals[id] = [tooLarge, noRoom, await exchange(operation)];
      server.imports.takesFiles = true;
    }
    for (const id of ['startImport', 'previewImport']) {
      server.admin.projectIsUnknown = true;
      refusals[id] = [await exchange(document.operation(id))];
      server.admin.projectIsUnknown = false;
    }
    const path = `/v1/admin/imports/${stopped}/refused`;
    refusals['resumeImport'] = [await exchange(document.operation('resumeImport'))];
    refusals['listRefusedLines'] = [await exchange(document.operation('listRefusedLines'), { path })];
    return refusals;
  }
}

/** A look at events that would be erased, of a project that is not there, and of other events than are given back. */
async function eventErasureAnswers(
  document: Document,
  exchange: (operation: Operation, request: { readonly body: string }) => Promise<number>,
): Promise<readonly number[]> {
  const operation = document.operation('eraseEvents');
  const bodies = [{ project: PROJECT.id }, { project: 'proj_other' }, { project: PROJECT.id, count: 7 }];
  const answers: number[] = [];
  for (const body of bodies)
    answers.push(await exchange(operation, { body: JSON.stringify({ name: 'Ran', ...body }) }));
  return answers;
}
