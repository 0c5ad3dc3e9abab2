import { lookup } from 'node:dns/promises';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addressesInHosts, fullNames, lookUp, type NameSources } from '../../services/webhooks/names.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { NameServer } from '../support/webhooks/name-server.ts';

const NEVER = new AbortController().signal;

async function sources(server: NameServer, hosts = '', resolv = ''): Promise<NameSources> {
  const folder = await temporaryFolder();
  const files = { hosts: join(folder, 'hosts'), resolv: join(folder, 'resolv.conf') };
  await writeFile(files.hosts, hosts);
  await writeFile(files.resolv, resolv);
  return { ...files, servers: [server.address] };
}

test('a name has the addresses that a name server says', async () => {
  const server = await NameServer.start({ 'hooks.example': '93.184.216.34' });

  expect(await lookUp('hooks.example', NEVER, await sources(server))).toEqual([
    { address: '93.184.216.34', family: 4 },
  ]);
});

test('a name in the file of hosts is not asked for, nor is localhost', async () => {
  const server = await NameServer.start();
  const from = await sources(server, '10.1.2.3 Receiver receiver.internal # ours\n::2 receiver\n');

  expect(await lookUp('receiver', NEVER, from)).toEqual([
    { address: '10.1.2.3', family: 4 },
    { address: '::2', family: 6 },
  ]);
  expect(await lookUp('receiver.internal.', NEVER, from)).toEqual([{ address: '10.1.2.3', family: 4 }]);
  expect((await lookUp('localhost', NEVER, from)).map(({ address }) => address)).toEqual(['127.0.0.1', '::1']);
  expect(server.asked).toEqual([]);
});

test('a short name is asked for in the domains of this machine', async () => {
  const server = await NameServer.start({ 'receiver.shop.test': null, 'receiver.svc.test': '10.9.8.7' });
  const from = await sources(server, '', 'nameserver 192.0.2.1\nsearch shop.test svc.test\noptions ndots:5\n');

  expect(await lookUp('receiver', NEVER, from)).toEqual([{ address: '10.9.8.7', family: 4 }]);
});

test('a name that nobody knows is not found', async () => {
  const server = await NameServer.start({ 'no.example': null });

  await expect(lookUp('no.example', NEVER, await sources(server))).rejects.toMatchObject({ code: 'ENOTFOUND' });
});

test('a look-up ends with its signal while the name server is silent', async () => {
  const server = await NameServer.start();
  const ending = new AbortController();
  const found = lookUp('slow.example', ending.signal, await sources(server));
  await expect.poll(() => server.asked.length).toBeGreaterThan(0);

  ending.abort(new Error('over'));

  await expect(found).rejects.toThrow('over');
});

test('any number of silent names keep neither each other, nor a name that is answered, nor a look-up of the system', async () => {
  const server = await NameServer.start({ 'hooks.example': '93.184.216.34' });
  const from = await sources(server);
  const ending = new AbortController();
  let ended = 0;
  const slow = Array.from({ length: 64 }, (_, n) =>
    lookUp(`slow${n}.example`, ending.signal, from).catch(() => void ended++),
  );
  await expect.poll(() => new Set(server.asked).size).toBe(64);

  const found = await Promise.all([lookUp('hooks.example', NEVER, from), lookup('localhost')]);

  expect([found[0].length, ended]).toEqual([1, 0]);
  ending.abort();
  await Promise.all(slow);
});

test.each([
  ['example.com', 'search a.test b.test', ['example.com', 'example.com.a.test', 'example.com.b.test']],
  ['receiver', 'search a.test', ['receiver.a.test', 'receiver']],
  ['a.b', 'domain x.test\noptions edns0 ndots:2', ['a.b.x.test', 'a.b']],
  ['example.com.', 'search a.test', ['example.com.']],
  ['example.com', '', ['example.com']],
])('%s stands for names as the file of the system says', (name, resolv, names) => {
  expect(fullNames(name, resolv)).toEqual(names);
});

test('a line of the file of hosts without an address names nobody', () => {
  expect(addressesInHosts('# 10.0.0.1 a\nx a\n\n10.0.0.2\n10.0.0.3\tb a#c', 'a')).toEqual([
    { address: '10.0.0.3', family: 4 },
  ]);
});
