import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { parseBody } from '../../services/messages/json.ts';
import { openApiDocument } from '../../services/api/openapi.ts';
import { Document, type Operation } from '../support/openapi/document.ts';
import { OPENAPI_STRUCTURE } from '../support/openapi/structure.ts';

const document = new Document();
const { operations, raw } = document;

function mediaTypes(): { name: string; schema: object; value: unknown; kind: 'open' | 'closed' }[] {
  return operations.flatMap((operation) => {
    const answers = Object.entries(operation.responses).map(
      ([status, { content }]) => [status, content, 'closed'] as const,
    );
    const contents = [['body', operation.requestBody?.content ?? {}, 'open'] as const, ...answers];
    return contents.flatMap(([place, content, kind]) =>
      Object.values(content).flatMap(({ schema, examples = {} }) =>
        Object.entries(examples).map(([example, { value }]) => {
          return { name: `${operation.operationId} ${place} ${example}`, schema, value, kind };
        }),
      ),
    );
  });
}

describe('the document', () => {
  test('the document is valid OpenAPI 3.1', () => {
    const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allErrors: true });
    const validate = ajv.compile(OPENAPI_STRUCTURE);

    validate(raw);

    expect(validate.errors).toBeNull();
  });

  test('refers to nothing outside itself, and to nothing that is not there', () => {
    const references = [...JSON.stringify(raw).matchAll(/"\$ref":"([^"]*)"/g)].map(([, target]) => target ?? '');
    const missing = references.filter((target) => {
      const steps = /^#\/components\/(\w+)\/([\w.-]+)$/.exec(target);
      const kind = raw.components[steps?.[1] as keyof typeof raw.components];
      return kind?.[steps?.[2] ?? ''] === undefined;
    });

    expect(references.length).toBeGreaterThan(100);
    expect(missing).toEqual([]);
  });

  test('the document has no component that nothing refers to', () => {
    const whole = JSON.stringify(raw);
    const unused = Object.entries(raw.components)
      .filter(([kind]) => kind !== 'securitySchemes')
      .flatMap(([kind, components]) => Object.keys(components).map((name) => `#/components/${kind}/${name}`))
      .filter((address) => !whole.includes(`"$ref":"${address}"`));

    expect(unused).toEqual([]);
  });

  test('the document gives every operation a name of its own, and every parameter of a path', () => {
    const names = operations.map(({ operationId }) => operationId);
    const inPath = ({ path, parameters }: Operation): [string[], unknown[]] => [
      [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? ''),
      parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name),
    ];

    expect(new Set(names).size).toBe(names.length);
    for (const operation of operations) {
      const [written, described] = inPath(operation);
      expect(described, operation.path).toEqual(written);
    }
  });

  test('the document has schemas that compile, each against the meta-schema of its dialect', () => {
    for (const name of Object.keys(raw.components.schemas)) {
      expect(() => document.problems({ $ref: `#/components/schemas/${name}` }, {}), name).not.toThrow();
    }
  });

  test('the document has examples that are what they are examples of', () => {
    for (const { name, schema, value, kind } of mediaTypes()) {
      expect(document.problems(schema, value, kind), name).toEqual([]);
    }
    expect(mediaTypes().length).toBeGreaterThan(50);
  });

  test('the document has schemas whose own examples fit them', () => {
    const examples = Object.entries(raw.components.schemas).flatMap(([name, schema]) =>
      ((schema['examples'] ?? []) as unknown[]).map((example) => [name, example] as const),
    );

    expect(examples.length).toBeGreaterThan(1);
    for (const [name, example] of examples) {
      expect(document.problems({ $ref: `#/components/schemas/${name}` }, example), name).toEqual([]);
    }
  });

  test('the document has an example for every body, but for texts and for itself', () => {
    const bare = operations.flatMap(({ operationId, requestBody, responses }) =>
      [requestBody, ...Object.values(responses)]
        .flatMap((body) => Object.values(body?.content ?? {}))
        .filter(({ examples }) => examples === undefined)
        .map(() => operationId),
    );

    expect(bare).toEqual(['getMetrics', 'getOpenApi']);
  });

  test('the document has examples of parameters and headers that fit them', () => {
    const { parameters, headers } = raw.components;
    for (const [name, { schema, example }] of Object.entries({ ...parameters, ...headers })) {
      if (example !== undefined) expect(document.problems(schema as object, example), name).toEqual([]);
    }
  });

  test('the document has the version of the package', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

    expect(raw).toMatchObject({ info: { version } });
  });
});

describe('what the linters of OpenAPI find', () => {
  test('a list says what its items are', () => {
    const lists = JSON.stringify(raw).match(/\{[^{}]*"type":"array"[^{}]*(?:\{|\})/g) ?? [];

    expect(lists.length).toBeGreaterThan(10);
    for (const list of lists) expect(list).toMatch(/"(?:items|prefixItems)":/);
  });

  test('a problem may have a path with a newline in it', () => {
    const body = parseBody('{"a\\nb":"\\u0000"}');
    const errors = body.ok ? [] : body.problems;
    const [schema] = operations.flatMap(({ responses }) => responses['400']?.content['application/problem+json'] ?? []);

    const problem = { type: 'about:blank', title: 'Bad request', status: 400, detail: 'It is wrong.', errors };

    expect(errors.map(({ path }) => path)).toEqual(['/a\nb']);
    const paths = document.problems(schema?.schema ?? {}, problem).map(({ instancePath }) => instancePath);
    expect(paths.filter((path) => path.startsWith('/errors'))).toEqual([]);
  });
});

describe('schemas of bodies', () => {
  test('the schemas of bodies are those that bodies are judged by', () => {
    const schema = { $ref: '#/components/schemas/BatchBody' };

    expect(document.problems(schema, { batch: [{ type: 'identify', user_id: 7 }] })).not.toEqual([]);
    expect(document.problems(schema, { batch: [{ type: 'track', user_id: 'a' }] })).not.toEqual([]);
    expect(document.problems(schema, { batch: [{ type: 'other', user_id: 'a' }] })).not.toEqual([]);
    expect(document.problems(schema, { batch: [] })).not.toEqual([]);
    expect(document.problems(schema, { batch: [{ type: 'track', user_id: 'a', event: 'e' }] })).toEqual([]);
  });
});

test('the two-step interface stands where the service has it', () => {
  const moved = new Document('/elsewhere/v2').operations.map(({ path }) => path);

  expect(moved).toContain('/elsewhere/v2/project-user');
  expect(moved.filter((path) => path.startsWith('/legacy'))).toEqual([]);
  expect(moved).toHaveLength(operations.length);
  expect(openApiDocument('/legacy')).toEqual(raw);
});

test('the document is put together once in a process', () => {
  expect(openApiDocument('/elsewhere')['components']).toBe(openApiDocument('/legacy')['components']);
});
