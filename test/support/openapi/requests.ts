import { randomUUID } from 'node:crypto';
import { userKeyOf } from '../../../services/messages/user-key.ts';
import type { Operation } from './document.ts';
import { PROJECT, SCOPE_KEYS } from '../http/reading-server.ts';

/** Operations for which `{}` is a valid body. */
export const TAKES_NOTHING = [
  'createAdminKey',
  'applyDefinitions',
  'startVerification',
  'startBackup',
  'rollbackGeneration',
  'queryEvents',
  'queryUsers',
  'rotateEndpointSecret',
];

/** What an operation needs beside its path; a stream ends by itself. */
export const QUERIES: Readonly<Record<string, string>> = {
  explainSavedVerdict: '?user_id=ada',
  listUsers: '?trait=plan:pro',
  listEvents: `?internal_id=${userKeyOf(PROJECT.id, 'ada')}`,
  watchEvents: '?seconds=1',
  forgetUser: `?project=${PROJECT.id}`,
};

/** What a page of the console sends; every other client may. */
export function headersOfPage(url: string): Readonly<Record<string, string>> {
  return { 'tidemark-console': '1', origin: url };
}

/**
 * What an operation answers where all is well: of two, the later is what it does, and the other a dry run. A project that is
 * deleted here is empty, for which no job is needed; a message to `/mcp` is no notification.
 */
export function successOf({ responses, operationId }: Operation): number {
  const statuses = Object.keys(responses).filter((status) => status.startsWith('2'));
  return Number(['deleteProject', 'callMcp'].includes(operationId) ? statuses[0] : statuses.at(-1));
}

export function keyFor(operation: Operation): string {
  return SCOPE_KEYS[operation.scope ?? 'read'];
}

/** The bodies that the document gives as examples; add-event's with a pair that this service really gave. */
export async function bodiesOf(operation: Operation, url: string): Promise<string[]> {
  const { 'application/json': json, 'application/octet-stream': bytes } = operation.requestBody?.content ?? {};
  if (bytes !== undefined) return Object.values(bytes.examples ?? {}).map(({ value }) => value as string);
  const examples = Object.values(json?.examples ?? {});
  // No two audiences have one name.
  if (operation.operationId === 'saveAudience') {
    return examples.map(({ value }) => JSON.stringify({ ...(value as object), name: randomUUID() }));
  }
  if (operation.operationId === 'signIn') return [JSON.stringify({ key: SCOPE_KEYS.read })];
  if (operation.operationId === 'eraseEvents')
    return examples.map(({ value }) => JSON.stringify({ ...(value as object), project: PROJECT.id }));
  if (operation.operationId !== 'addEvent') return examples.map(({ value }) => JSON.stringify(value));
  const headers = { service_key: SCOPE_KEYS.write, 'content-type': 'application/json' };
  const body = JSON.stringify({ user_id: 'ada', anonymous: false });
  const made = await fetch(`${url}/legacy/project-user`, { method: 'POST', headers, body });
  const { user_id, session_id } = ((await made.json()) as { result: { user_id: string; session_id: string } }).result;
  return examples.map(({ value }) => JSON.stringify({ ...(value as object), user_id, session_id }));
}
