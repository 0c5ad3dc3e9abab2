import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { documentedTools, requestBy } from '../../../services/api/mcp/tools.ts';
import { parseBody } from '../../../services/messages/json.ts';
import { Document } from '../../support/openapi/document.ts';

const document = new Document();
const tools = documentedTools();
const byName = new Map(tools.map((tool) => [tool.listed.name, tool]));

function toolNamed(name: string) {
  const tool = byName.get(name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tool;
}

/** What the tool asks for with arguments of this JSON. */
function requestOf(name: string, json: string) {
  const parsed = parseBody(json);
  if (!parsed.ok) throw new Error('not JSON');
  const request = requestBy(toolNamed(name), parsed.value.exact as Record<string, unknown>);
  return 'refused' in request ? request : { ...request, body: request.body.toString() };
}

describe('the tools of an assistant', () => {
  test('the tools are catalog, questions, users, audiences and the state of the project, and read alone', () => {
    expect(tools.map(({ operation }) => operation)).toEqual([
      'GET /v1/status',
      'POST /v1/audiences/preview',
      'POST /v1/audiences/explain',
      'POST /v1/audiences/why',
      'GET /v1/audiences',
      'GET /v1/audiences/{id}',
      'GET /v1/audiences/{id}/preview',
      'GET /v1/audiences/{id}/explain',
      'GET /v1/audiences/{id}/why',
      'GET /v1/audiences/{id}/changes',
      'GET /v1/catalog/events',
      'GET /v1/catalog/events/{name}/properties',
      'GET /v1/catalog/traits',
      'POST /v1/events/query',
      'POST /v1/events/counts',
      'POST /v1/funnels',
      'GET /v1/users/{user_id}/memberships',
      'GET /v1/users',
      'POST /v1/users/query',
    ]);
    const scopes = tools.map(({ listed }) => document.operation(listed.name).scope);
    expect(new Set(scopes)).toEqual(new Set(['read', 'flags']));
    expect(tools.filter(({ listed }) => listed.annotations?.readOnlyHint !== true)).toEqual([]);
  });

  test('a tool has the words of its operation, its parameters and the members of its body', () => {
    const { listed, parameters } = toolNamed('listCatalogProperties');

    expect(listed.title).toBe('The properties of an event, with their types');
    expect(listed.description).toMatch(/^The properties of an event, with their types\. The properties that the event/);
    expect(Object.keys(listed.inputSchema.properties ?? {})).toEqual([
      'name',
      'prefix',
      'search',
      'order',
      'limit',
      'cursor',
    ]);
    expect(listed.inputSchema.required).toEqual(['name']);
    expect(parameters).toEqual(['name', 'prefix', 'search', 'order', 'limit', 'cursor']);
    expect(toolNamed('queryUsers').listed.inputSchema.properties).toMatchObject({
      sort: { enum: ['last_seen', 'first_seen'], default: 'last_seen' },
    });
    expect(Object.keys(toolNamed('listAudienceChanges').listed.inputSchema.properties ?? {})).not.toContain('wait');
  });

  test.each(tools.map((tool) => [tool.listed.name, tool.listed.inputSchema] as const))(
    'the schema of %s compiles by itself, takes its examples and refuses another member',
    (_, schema) => {
      const validate = new Ajv2020({ strict: false }).compile(schema);
      const examples = (schema['examples'] ?? []) as Record<string, unknown>[];

      for (const example of examples) expect(validate(example), JSON.stringify(validate.errors)).toBe(true);
      expect(validate({ ...examples[0], surprise: 1 })).toBe(false);
      // Models are not given schemas that begin with a choice.
      expect(Object.keys(schema).filter((keyword) => /Of$|^if$/.test(keyword))).toEqual([]);
    },
  );

  test('one tool has the grammar of definitions, and the others its description and where it is', () => {
    const grammars = tools.flatMap(({ listed }) => {
      const found = (listed.inputSchema['$defs'] as Record<string, { oneOf?: unknown; description: string }>)[
        'Audience'
      ];
      return found === undefined ? [] : [{ name: listed.name, ...found }];
    });

    expect(grammars.filter(({ oneOf }) => oneOf !== undefined).map(({ name }) => name)).toEqual(['previewAudience']);
    for (const { name, description } of grammars.slice(1))
      expect(description, name).toContain('in the schema of the tool previewAudience');
    expect(JSON.stringify(tools.map(({ listed }) => listed)).length).toBeLessThan(75_000);
  });
});

describe('the request of a tool', () => {
  test('the request has parameters in path and query and the rest in the body, every digit kept', () => {
    expect(requestOf('listCatalogProperties', '{"name":"a/b ü","limit":5,"prefix":"x&y"}')).toEqual({
      params: { name: 'a/b ü', limit: '5', prefix: 'x&y' },
      search: 'name=a%2Fb+%C3%BC&limit=5&prefix=x%26y',
      body: '{}',
    });
    expect(requestOf('previewAudience', '{"definition":{"trait":"n","is":12345678901234567890.10}}')).toMatchObject({
      search: '',
      body: '{"definition":{"trait":"n","is":12345678901234567890.10}}',
    });
  });

  test('an argument that the tool does not have, and one that it lacks, is refused by its name', () => {
    expect(requestOf('previewAudience', '{"definitions":{}}')).toMatchObject({
      refused: 'invalid-parameter',
      errors: [{ path: '/definitions', message: 'is unknown here; known are: definition, sample, traits' }],
    });
    expect(requestOf('getAudience', '{}')).toMatchObject({ errors: [{ path: '/id', message: 'is required' }] });
  });
});
