/** ClickHouse's own tables under the composition's settings: none may grow without an end. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type ClickHouse, startClickHouse } from '../servers/clickhouse.ts';
import { serverUrl } from '../servers/server.ts';
import { temporaryServersFolder } from '../support/service/servers-folder.ts';
import { askServer } from '../support/stores/clickhouse.ts';

const COMPOSITION = 'deploy/clickhouse/tidemark.xml';
const PAGE = readFileSync('docs/servers.md', 'utf8');
const [, WITHOUT_END = ''] = /### Settings of a server of yours[^]*?```sql\n([^]*?)```/.exec(PAGE) ?? [];
const url = await serverUrl('clickhouse');

/** The tables that this server keeps about itself without an end, by the question of the page. */
async function withoutEnd(server: string): Promise<readonly string[]> {
  // Without this it makes a table with its first row.
  await askServer(server, 'SYSTEM FLUSH LOGS');
  const rows = await askServer(server, WITHOUT_END);
  return rows.map((row) => row.split('\t')[0] ?? '');
}

const withAnEnd = (server: string): Promise<readonly string[]> =>
  askServer(
    server,
    `SELECT name FROM system.tables WHERE database = 'system' AND engine_full LIKE '% TTL event_date %' ORDER BY name`,
  );

/** A server that is told to make every table about itself that its version knows: a first start logs their names. */
async function startWithAll(overrides?: string): Promise<ClickHouse> {
  const first = await start({ config: '<query_log/>' });
  const log = readFileSync(join(first.folder, 'clickhouse.log'), 'utf8');
  await first.server.kill();
  const names = [...log.matchAll(/reating system\.\w+ (?:since corresponding section|from) '?(\w+)/g)];
  const config = names.map(([, name]) => `<${name}/>`).join('');
  return (await start({ config, ...(overrides !== undefined && { overrides }) })).server;
}

async function start(options: { config: string; overrides?: string }): Promise<{ folder: string; server: ClickHouse }> {
  const folder = join(await temporaryServersFolder(), 'clickhouse');
  const server = await startClickHouse({ folder, ...options });
  onTestFinished(server.kill);
  return { folder, server };
}

describe.skipIf(url === undefined)("ClickHouse's own tables", () => {
  test('every table that this ClickHouse can make about itself has an end under the settings of the composition', async () => {
    const server = await startWithAll(COMPOSITION);

    expect(await withoutEnd(server.url)).toEqual([]);
    expect(await withAnEnd(server.url)).toEqual(['crash_log', 'part_log', 'query_log']);
  });

  test('the same server makes tables without an end where it does not have these settings', async () => {
    const server = await startWithAll();

    expect((await withoutEnd(server.url)).length).toBeGreaterThan(25);
  });

  test('the image of the composition keeps no table about itself without an end', async ({ skip }) => {
    const growing = await withoutEnd(url ?? '');
    const others = await withAnEnd(url ?? '');
    // The library keeps no such table by default, and a server of somebody's has settings of theirs.
    skip(others.length === 0 || process.env['TEST_CLICKHOUSE_URL'] !== undefined, 'the server is not that image');

    expect(growing).toEqual([]);
  });
});
