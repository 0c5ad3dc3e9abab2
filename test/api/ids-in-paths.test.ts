/** Everything can be asked for by any id that is accepted, over HTTP, whatever clients do to URLs. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { operation, type Operation } from '../../schemas/operations.ts';
import { readersPassed } from '../support/service/readers-passed.ts';
import { READ_KEY } from '../support/service/service.ts';
import { startedService } from '../support/service/shared-service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** What clients and routers take apart, or decode. */
const LIKE_PATHS = ['.', '..', '...', '%2e', '%2E%2e', 'a/b', '/', '//', '../x', './', '\\', '..\\x', '%', '%2F'];
const IDS = [
  LIKE_PATHS,
  [
    '-',
    '~',
    '%zz',
    '%252F',
    '?',
    'a?b=c',
    '#',
    ';',
    'a;b',
    '&',
    'a=b&c',
    '+',
    'a b',
    ' a',
    'a ',
    ' ',
    ':',
    '@',
    'a:b@c',
    "'",
    '"',
  ],
  ['\u{1f600}', 'e\u0301', '\u00e9', '\u202e', '\u0001', '\n', '\t', '\u007f', '__proto__', 'constructor', 'null'],
  ['events', 'user_id', 'x'.repeat(512), '\u{1f600}'.repeat(256), 'é'.repeat(512)],
].flat();

/** What is asked for, and what its answer has. */
type Wanted = readonly [what: string, request: Operation, has: string];

/** It may have 128 characters. */
function messageIdOf(id: string): string {
  return Array.from(id).slice(0, 128).join('');
}

test('a user, a message, an event and a trait of any accepted name are found by it', { timeout: 600_000 }, async () => {
  const service = await startedService(join(await temporaryFolder(), 'data'));
  const items = IDS.flatMap((id) => {
    const [quoted, message] = [JSON.stringify(id), JSON.stringify(messageIdOf(id))];
    return [
      `{"type":"identify","user_id":${quoted},"traits":{${quoted}:1}}`,
      `{"type":"track","user_id":${quoted},"event":${quoted},"message_id":${message},"properties":{"p":1}}`,
    ];
  });
  const answer = await fetch(`${service.url}/v1/batch`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', api_key: 'write-key-of-the-tests-0123456789abcdef' },
    body: `{"batch":[${items.join()}]}`,
  });
  const { receipt, ...rest } = (await answer.json()) as { receipt: string };
  expect([answer.status, rest]).toMatchObject([200, { success: true }]);
  await readersPassed(service, receipt);
  const ask = async <T>({ method, path }: Operation<T>): Promise<{ status: number; text: string }> => {
    const found = await fetch(service.url + path, { method, headers: { api_key: READ_KEY } });
    return { status: found.status, text: await found.text() };
  };

  const wrong: string[] = [];
  for (const [index, id] of IDS.entries()) {
    const path = { user_id: id };
    const quoted = JSON.stringify(id);
    const ofUser: readonly Wanted[] = [
      ['events', operation('GET /v1/users/{user_id}/events', { path }), '"events"'],
      ['timeline', operation('GET /v1/users/{user_id}/timeline', { path }), quoted],
      ['activity', operation('GET /v1/users/{user_id}/activity', { path }), '{'],
      ['audiences', operation('GET /v1/users/{user_id}/audiences', { path }), '{'],
      ['export', operation('GET /v1/users/{user_id}/export', { path }), quoted],
    ];
    const requests: readonly Wanted[] = [
      ['user', operation('GET /v1/users/{user_id}', { path }), `"user_id":${quoted}`],
      // Routes take the id in one way, so others are asked for at one of them each.
      ...(LIKE_PATHS.includes(id) ? ofUser : ofUser.slice(index % ofUser.length).slice(0, 1)),
      ['trait', operation('GET /v1/users/{user_id}/traits/{name}/history', { path: { ...path, name: id } }), '1'],
      [
        'message',
        operation('GET /v1/messages/{message_id}', { path: { message_id: messageIdOf(id) } }),
        `"event":${quoted}`,
      ],
      ['event', operation('GET /v1/catalog/events/{name}/properties', { path: { name: id } }), '"p"'],
    ];
    for (const [what, request, has] of requests) {
      const { status, text } = await ask(request);
      if (status !== 200 || !text.includes(has))
        wrong.push(`${what} of ${quoted.slice(0, 20)}: ${status} ${text.slice(0, 160)}`);
    }
  }

  expect(wrong).toEqual([]);
});
