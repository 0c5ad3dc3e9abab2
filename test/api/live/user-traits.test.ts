/** Traits of users beside the rows of the live stream. */
import { expect, onTestFinished, test } from 'vitest';
import { recordOf, track } from '../../support/messages/messages.ts';
import { PROJECT, READ_KEY, ReadingServer } from '../../support/http/reading-server.ts';

test('the rows have the traits of their users that were asked for, and go on without them while profiles cannot be reached', async () => {
  const server = await ReadingServer.start();
  onTestFinished(() => server.stop());
  server.recorded.records('tidemark.track', 0);
  await server.addProfile('named', { traits: '{"name":"Ada Lovelace","big":12345678901234567890}' });
  for (const userId of ['named', 'unknown'])
    server.recorded.put('tidemark.track', 0, recordOf(track({ projectId: PROJECT.id, userId })));
  const recent = async (query: string): Promise<Response> =>
    fetch(`${server.url}/v1/events/live?recent=5&seconds=1&${query}`, { headers: { api_key: READ_KEY } });

  const found = await (await recent('traits=name,big,plan')).text();
  server.database.unreachable = /profiles/;
  const without = await (await recent('traits=name,plan')).text();

  expect(found).toContain('"user_traits":{"name":"Ada Lovelace","big":12345678901234567890,"plan":null}');
  expect(found).toContain('"user_traits":{"name":null,"big":null,"plan":null}');
  expect(without).toContain('"user_id":"named"');
  expect(without).not.toContain('user_traits');
  expect((await recent('traits=name,name')).status).toBe(400);
});
