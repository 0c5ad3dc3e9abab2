/** Each operation refuses what the document does not allow, and says where it is: parameters and members of bodies. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Document, type Operation } from '../support/openapi/document.ts';
import { AdminObjects, pathOf } from '../support/openapi/objects.ts';
import { keyFor } from '../support/openapi/requests.ts';
import { ReadingServer } from '../support/http/reading-server.ts';

const document = new Document();
/** Parameters that a port reads, which a fake takes the place of here. */
const OF_A_PORT = /^listDeadLetters \S+\?(?:since|until|cursor)=/;
// The ways in take whatever else there is, and say what is wrong with a message: test/ingest.
const operations = document.operations.filter(({ security, scope }) => security.length > 0 && scope !== 'write');
let reading: ReadingServer;
let objects: AdminObjects;

beforeAll(async () => {
  reading = await ReadingServer.start();
  await reading.addProfile('ada');
  objects = await AdminObjects.make(reading);
});

afterAll(() => reading.stop());

interface Refusal {
  readonly detail: string;
  readonly errors?: readonly { readonly path: string }[];
}

/** What is answered instead of a refusal that names the place; undefined where it does. */
async function complaint(
  operation: Operation,
  { path, body, place }: { readonly path: string; readonly body?: object; readonly place: string },
): Promise<string | undefined> {
  const text = operation.requestBody === undefined ? undefined : JSON.stringify(body ?? {});
  const response = await fetch(reading.url + path, {
    method: operation.method.toUpperCase(),
    headers: { api_key: keyFor(operation), 'content-type': 'application/json' },
    ...(text !== undefined && { body: text }),
  });
  const answer = await response.text();
  const { detail, errors = [] } = (response.status === 400 ? JSON.parse(answer) : { detail: '' }) as Refusal;
  const isNamed =
    body === undefined ? detail.includes(place) : errors.some(({ path: at }) => at === '' || at.startsWith(place));
  const sent = `${operation.operationId} ${path.slice(0, 200)} ${text?.slice(0, 200)}`;
  return isNamed ? undefined : `${sent}: ${response.status} ${answer.slice(0, 300)} does not name ${place}`;
}

test('a parameter that the document does not allow is refused by its name', async () => {
  const complaints: (string | undefined)[] = [];
  for (const operation of operations) {
    const [path = '', needed = ''] = (await pathOf(reading, objects, operation)).split('?');
    for (const { name, query } of wrongQueries(document, operation)) {
      const others = needed.startsWith(`${name}=`) ? '' : `&${needed}`;
      complaints.push(await complaint(operation, { path: `${path}?${query}${others}`, place: name }));
    }
  }

  expect(complaints.length).toBeGreaterThan(900);
  expect(complaints.filter((one) => one !== undefined && !OF_A_PORT.test(one))).toEqual([]);
});

test('a body that the document does not allow is refused with the place of what is wrong', async () => {
  const complaints: (string | undefined)[] = [];
  for (const operation of operations) {
    const { schema, examples = {} } = operation.requestBody?.content['application/json'] ?? {};
    const right = Object.values(examples)[0]?.value;
    if (schema === undefined || right === undefined) continue;
    const path = await pathOf(reading, objects, operation);
    for (const { pointer, body } of wrongBodies(document, schema, right as object))
      complaints.push(await complaint(operation, { path, body, place: pointer }));
  }

  expect(complaints.length).toBeGreaterThan(500);
  expect(complaints.filter((one) => one !== undefined)).toEqual([]);
});

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
}

interface WrongQuery {
  readonly name: string;
  readonly query: string;
}

/** Parameters of which a schema does not say all. */
const TIMES = ['yesterday', '2026-02-30', '1899-12-31'];
const WRONG: Readonly<Record<string, readonly string[]>> = { since: TIMES, until: TIMES, cursor: ['none', 'AAAA'] };

/** Values of each parameter of the query that the document does not allow, and two values of it. */
function wrongQueries(document: Document, { parameters }: Operation): WrongQuery[] {
  return parameters.flatMap(({ name = '', in: part, schema }) => {
    if (part !== 'query') return [];
    // One that takes the place of a part of the path may be what that may be.
    const inPath = parameters.find((one) => one.in === 'path' && one.name === name);
    const texts = [...wrongTexts(followed(document, inPath?.schema ?? schema)), ...(WRONG[name] ?? []), 'a\0'];
    const queries = texts.map((text) => `${name}=${encodeURIComponent(text)}`);
    return [...queries, `${name}=1&${name}=1`].map((query) => ({ name, query }));
  });
}

function wrongTexts({ type, enum: choices, minimum = 0, maximum, minLength, maxLength, pattern }: Schema): string[] {
  if (type === 'integer' || type === 'number') {
    const outside = [minimum - 1, ...(maximum === undefined ? [] : [maximum + 1])].map(String);
    return ['', 'x', '1e1', '0x1', ' 1', '99999999999999999999', ...outside, ...(type === 'integer' ? ['1.5'] : [])];
  }
  if (choices !== undefined || type === 'boolean') return ['', 'nonsense'];
  const long = maxLength === undefined ? [] : [(maxLength > 1_000 ? 'x' : 'é').repeat(maxLength + 1)];
  return [...((minLength ?? 0) > 0 ? [''] : []), ...long, ...(pattern === undefined ? [] : ['A'])];
}

interface WrongBody {
  readonly pointer: string;
  readonly body: object;
}

/** A right body with a member that is not as the document has it, with one that it does not have, or without one that it needs. */
function wrongBodies(document: Document, schema: object, right: object): WrongBody[] {
  const { properties = {}, required = [], additionalProperties } = followed(document, schema);
  const wrong = Object.entries(properties).flatMap(([name, member]) =>
    wrongValues(followed(document, member)).map((value) => ({
      pointer: `/${name}`,
      body: { ...right, [name]: value },
    })),
  );
  const without = required.map((name) => ({ pointer: `/${name}`, body: { ...right, [name]: undefined } }));
  const unknown = additionalProperties === false ? [{ pointer: '/colour', body: { ...right, colour: 1 } }] : [];
  return [...wrong, ...without, ...unknown];
}

function wrongValues({ type = [], enum: choices, ...bounds }: Schema): unknown[] {
  const types = [type].flat();
  const { minimum, maximum, minLength = 0, maxLength, minItems = 0, items = {} } = bounds;
  const outside = [
    ...(minimum === undefined ? [] : [minimum - 1]),
    ...(maximum === undefined ? [] : [maximum + 1]),
    ...(types.includes('integer') ? [1.5] : []),
    ...(minLength > 0 ? [''] : []),
    ...(maxLength === undefined ? [] : ['é'.repeat(maxLength + 1)]),
    ...(choices === undefined ? [] : ['nonsense']),
    ...(minItems > 0 ? [[]] : []),
    ...(items.enum === undefined ? [] : [['nonsense']]),
  ];
  const others = { string: 'a', integer: 1, number: 1, boolean: true, array: [], object: {}, null: null };
  const ofAnotherType = Object.entries(others).filter(([one]) => !types.includes(one) && types.length > 0);
  const isNumber = types.includes('number') || types.includes('integer');
  return [
    ...outside,
    ...ofAnotherType.filter(([one]) => !(isNumber && /integer|number/.test(one))).map(([, value]) => value),
  ];
}

function followed(document: Document, schema: Schema): Schema {
  const name = schema.$ref?.replace('#/components/schemas/', '');
  return name === undefined ? schema : followed(document, document.raw.components.schemas[name] ?? {});
}
