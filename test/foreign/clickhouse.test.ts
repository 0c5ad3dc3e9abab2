import * as fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Track } from '../../services/messages/message.ts';
import { serverUrl } from '../servers/server.ts';
import { freshDatabase } from '../support/stores/fresh-database.ts';
import { RegistryGate } from '../support/event-log/registry-gate.ts';
import { anyMessage, TRACK } from '../support/messages/sample-messages.ts';
import { fieldsOf } from './fields.ts';
import { writeForeignLog } from './foreign-log.ts';
import { codeOnPage } from './page.ts';

const [kafka, registry, clickhouse] = await Promise.all(
  (['kafka', 'registry', 'clickhouse'] as const).map((name) => serverUrl(name)),
);

const credentials = { user: 'click', password: 'house' };

describe.skipIf(!kafka || !registry || !clickhouse)("ClickHouse's Kafka engine", () => {
  test('ClickHouse reads every event, with every field as it was written', async () => {
    const tracks = [TRACK, ...someTracks(1_000)].map((track, i) => ({ ...track, messageId: String(i) }));
    const { brokers, prefix } = await writeForeignLog(kafka!, registry!, tracks, []);
    const database = await freshDatabase(clickhouse!);
    onTestFinished(() => database.drop());
    const sql = codeOnPage('sql', {
      'localhost:9092': brokers,
      'http://localhost:8081': (await RegistryGate.open(registry!, { credentials })).url(),
      "'tidemark.track'": `'${prefix}tidemark.track'`,
    });

    for (const statement of sql.split(/;\n/).filter((part) => part.trim() !== '')) await ask(database.url, statement);

    const rows = await vi.waitFor(
      async () => {
        const found = await rowsOf(database.url);
        expect(found.length).toBe(tracks.length);
        return found;
      },
      { timeout: 25_000, interval: 200 },
    );
    expect(rows).toEqual(tracks.map((track) => fieldsOf(track, { time: String })));
  });
});

function someTracks(count: number): Track[] {
  return fc
    .sample(anyMessage, count * 4)
    .filter((message) => message.type === 'track')
    .slice(0, count);
}

async function rowsOf(url: string): Promise<Record<string, unknown>[]> {
  const times = ['timestamp', 'received_at', 'original_timestamp']
    .map((name) => `toUnixTimestamp64Micro(${name}) AS ${name}`)
    .join(', ');
  const text = await ask(
    url,
    `SELECT * REPLACE (${times}) FROM track FINAL ORDER BY toUInt64(message_id)
     FORMAT JSONEachRow SETTINGS output_format_json_quote_64bit_integers = 1`,
  );
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

async function ask(url: string, sql: string): Promise<string> {
  const { origin, pathname, username, password } = new URL(url);
  const response = await fetch(`${origin}/?database=${pathname.slice(1)}`, {
    method: 'POST',
    headers: { 'x-clickhouse-user': username, 'x-clickhouse-key': password },
    body: sql,
  });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}
