/** How commands are made of the OpenAPI document. What they print is in golden.long.test.ts. */
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Command } from 'commander';
import { describe, expect, onTestFinished, test } from 'vitest';
import { onePage } from '../../services/cli/client/carry-out.ts';
import { filled } from '../../services/cli/document/cells.ts';
import { definitionText } from '../../services/cli/document/definition.ts';
import { type Described, describedOperations, type Field } from '../../services/cli/document/described.ts';
import { addOptions, NONE } from '../../services/cli/document/options.ts';
import { table } from '../../services/cli/print.ts';
import { CliRun } from '../support/service/cli-run.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { readOpenApiFiles } from '../../schemas/openapi-files.ts';

const CLI_WORDS = 'command help arguments options without defaults columns lines oldestFirst progress'.split(' ');

test('x-cli has the members that contributing.md describes, and leaves out what its operation has', () => {
  const { paths, components } = readOpenApiFiles();
  const whole = JSON.stringify({ paths, components });

  const described = describedOperations();
  expect(new Set(described.map(({ words }) => words.command)).size, 'a command each').toBe(described.length);
  for (const { words } of described) {
    expect(CLI_WORDS, words.command).toEqual(expect.arrayContaining(Object.keys(words)));
    for (const name of words.without ?? []) expect(whole, words.command).toMatch(new RegExp(`"(?:name":")?${name}"`));
  }
});

describe('an option', () => {
  function readOption(field: Partial<Field>, ...argv: string[]): unknown {
    const whole: Field = { option: 'x', in: 'body', sets: 'x', schema: {}, help: '', isRequired: false, ...field };
    const command = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
    addOptions(command, { fields: [whole], words: { command: 'x' } } as unknown as Described);
    return command.parse(argv, { from: 'user' }).opts()['x'];
  }

  test.each([
    ['a whole number', { type: ['integer', 'null'], minimum: 1, maximum: 10 }, '7', 7],
    ['none, where the document has null', { type: ['integer', 'null'], minimum: 1 }, 'none', NONE],
    ['the text "none", where the document has no null', { type: 'string' }, 'none', 'none'],
    ['a number', { type: 'number', maximum: 100 }, '99.5', 99.5],
    ['a choice', { enum: ['a', 'b'] }, 'b', 'b'],
    ['a list with commas', { type: 'array', items: { type: 'string' } }, 'a,b c', ['a', 'b c']],
    ['an empty list', { type: 'array', items: { type: 'string' } }, '', []],
  ])('an option takes %s', (_, schema, text, value) => {
    expect(readOption({ schema }, '--x', text)).toEqual(value);
  });

  test('an option of a list may be repeated', () => {
    expect(readOption({ schema: { type: 'array', items: { enum: ['a', 'b'] } } }, '--x', 'a', '--x', 'b')).toEqual([
      'a',
      'b',
    ]);
  });

  test.each([
    [{ type: 'integer', minimum: 1, maximum: 10 }, '11', 'It is a whole number from 1 to 10.'],
    [{ type: ['integer', 'null'], minimum: 1 }, '0', 'It is a whole number from 1 up, or none.'],
    [{ type: 'number', maximum: 100 }, '101', 'It is a number from 0 to 100.'],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, 'a,c', 'Allowed choices are a, b.'],
    [{ enum: ['a', null] }, 'c', 'Allowed choices are a, none.'],
  ])('an option of %j refuses %s', (schema, text, message) => {
    expect(() => readOption({ schema }, '--x', text)).toThrow(message);
  });

  test.each([{ type: 'boolean' }, { type: 'string', enum: ['true', 'false'] }, { enum: ['previous'] }])(
    'an option of %j takes no value',
    (schema) => {
      expect(readOption({ schema }, '--x')).toBe(true);
    },
  );
});

test.each([
  ['{id}', { id: 'a' }, 'a'],
  ['{id}', { id: null }, '-'],
  ['{limit}/s|none', { limit: 7 }, '7/s'],
  ['{limit}/s|none', { limit: null }, 'none'],
  ['{of.at}|', {}, ''],
  ['{one,other}', { other: 'b' }, 'b'],
  ['{readers.name}', { readers: [{ name: 'a' }, { name: 'b' }, { name: 'a' }] }, 'a, b'],
  ['{errors.-1.text:5}', { errors: [{ text: 'x' }, { text: 'too long' }] }, 'too …'],
  ['{names: }', { names: ['a', 'b'] }, 'a b'],
  ['{names: }', { names: [] }, '-'],
  ['{names:count}', { names: ['a', 'b'] }, '2'],
  ['{failures:positive}|well', { failures: 0 }, 'well'],
  ['{value}', { value: { 'a\n': 1 } }, '{"a\\n":1}'],
  ['{text}', { text: 'two\nlines' }, 'two lines'],
])('a cell %s of %j has the text "%s"', (template, value, text) => {
  expect(filled(template, value)).toBe(text);
});

test('a definition is JSON itself, or a file of it, as FILE or as @FILE', async () => {
  const file = join(await temporaryFolder(), 'audience.json');
  await writeFile(file, '{"event":"Paid"}');

  const texts = await Promise.all([' {"event":"Paid"}', file, `@${file}`].map(definitionText));

  expect(texts.map((text) => text.trim())).toEqual(Array.from({ length: 3 }, () => '{"event":"Paid"}'));
  await expect(definitionText(`${file}.missing`)).rejects.toThrow(/missing cannot be read/);
});

test('a listing is read page by page, up to the limit', async () => {
  const numbers = Array.from({ length: 25 }, (_, at) => at);
  const page = async (limit: number, cursor = '0') => {
    const end = Number(cursor) + limit;
    return { numbers: numbers.slice(Number(cursor), end), next_cursor: end < numbers.length ? String(end) : null };
  };

  expect(await onePage({ limit: Infinity, pageLimit: 10 }, page)).toEqual({ numbers, next_cursor: null });
  expect(await onePage({ limit: 12, pageLimit: 10 }, page)).toEqual({
    numbers: numbers.slice(0, 12),
    next_cursor: '12',
  });
});

test('a table has columns as wide as their widest cell and no space at a line end', () => {
  expect(
    table(
      ['ID', 'NAME', 'X'],
      [
        ['1', 'Zoë 🌊', ''],
        ['22', 'b', 'y'],
      ],
    ),
  ).toBe(['ID  NAME   X', '1   Zoë 🌊', '22  b      y', ''].join('\n'));
});

test('a table without rows is its head', () => {
  expect(table(['ID', 'NAME'], [])).toBe('ID  NAME\n');
});

const ID = 'proj_00000000000000000000';

test.each([
  [
    `project set ${ID} --rate-limit none --search-traits a,b`,
    `PATCH /v1/admin/projects/${ID} {"rate_limit":null,"search_traits":["a","b"]}`,
  ],
  [
    `dead-letters drop a/0/1 --limit 2 --dry-run --project ${ID}`,
    `POST /v1/admin/dead-letters/drop {"ids":["a/0/1"],"limit":2,"dry_run":true,"project":"${ID}"}`,
  ],
  [`audience change P aud_1 --definition {"n":1.50}`, 'PATCH /v1/audiences/aud_1?project=P {"definition":{"n":1.50}}'],
  [
    'endpoint change P end_1 --to https://a --disable',
    'PATCH /v1/endpoints/end_1?project=P {"url":"https://a","enabled":false}',
  ],
  ['endpoint resend P end_1 --delivery msg_1', 'POST /v1/endpoints/end_1/deliveries/msg_1/resend?project=P '],
  ['endpoint list --installation', 'GET /v1/endpoints?limit=1000 '],
  [
    'events counts {"of":"a"} --of b --last 2d --by-trait c --compare --project P',
    'POST /v1/events/counts?project=P {"measure":"count","of":"b","compare":"previous","within":{"last":"2d"},"split":{"trait":"c"}}',
  ],
  ['user events a/b --limit 5 --event c', 'GET /v1/users/a%2Fb/events?event=c&limit=5 '],
  [
    `forget user a b --by anonymous_id --no-suppress --yes --project ${ID}`,
    `POST /v1/admin/erasures {"users":[{"anonymous_id":"a"},{"anonymous_id":"b"}],"suppress":false,"project":"${ID}"}`,
  ],
  [`project delete ${ID} --confirm Shop`, `DELETE /v1/admin/projects/${ID}?confirm=Shop `],
  [
    `key create ${ID} --scope read,audiences --scope write`,
    `POST /v1/admin/projects/${ID}/keys {"scopes":["read","audiences","write"]}`,
  ],
  ['key create --scope admin --name x', 'POST /v1/admin/keys {"name":"x"}'],
  ['key list', 'GET /v1/admin/keys?limit=1000 '],
])('"%s" sends %s', async (line, request) => {
  const sent: string[] = [];
  const server = createServer((received, answer) => {
    void text(received).then((body) => {
      sent.push(`${received.method} ${received.url} ${body}`);
      answer.writeHead(500).end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());

  await new CliRun([
    ...line.split(' '),
    '--key',
    'x',
    '--url',
    `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  ]).code;

  expect(sent).toEqual([request]);
});
