import { SCOPES } from '../../../services/stores/projects/project-store.ts';

/**
 * The structure of an OpenAPI 3.1 document as far as ours uses it, as a JSON schema: every object is closed, so that a
 * misspelt field is found. After https://spec.openapis.org/oas/v3.1.0; what is not listed here is not used by us.
 */

const text = { type: 'string', minLength: 1 };
const ref = (name: string): object => ({ $ref: `#/$defs/${name}` });
const mapOf = (value: object): object => ({ type: 'object', additionalProperties: value });
const listOf = (items: object): object => ({ type: 'array', items });

function closed(properties: Record<string, object | boolean>, required: readonly string[] = []): object {
  return { type: 'object', properties, required, additionalProperties: false };
}

/** The object itself or a reference to a component. */
function orReference(kind: string, value: object): object {
  const reference = closed({ $ref: { type: 'string', pattern: `^#/components/${kind}/[\\w.-]+$` } }, ['$ref']);
  return { oneOf: [reference, value] };
}

// A schema is held against the dialect's own meta-schema by whoever compiles it.
const schema = { type: ['object', 'boolean'] };

const parameter = {
  ...closed(
    {
      name: text,
      in: { enum: ['path', 'query', 'header'] },
      description: text,
      required: { type: 'boolean' },
      schema,
      example: true,
    },
    ['name', 'in', 'description', 'schema'],
  ),
  anyOf: [
    { properties: { in: { enum: ['query', 'header'] } } },
    { properties: { in: { const: 'path' }, required: { const: true } }, required: ['required'] },
  ],
};

const operation = closed(
  {
    operationId: { type: 'string', pattern: '^[a-zA-Z]+$' },
    tags: { ...listOf(text), minItems: 1, maxItems: 1 },
    summary: text,
    description: text,
    security: listOf(ref('security')),
    parameters: listOf(orReference('parameters', ref('parameter'))),
    requestBody: closed({ description: text, required: { const: true }, content: ref('content') }, ['content']),
    responses: ref('responses'),
    'x-mcp': closed({ without: listOf(text), keepsTexts: { const: true } }),
  },
  ['operationId', 'tags', 'summary', 'security', 'responses'],
);

export const OPENAPI_STRUCTURE = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  ...closed(
    {
      openapi: { const: '3.1.0' },
      jsonSchemaDialect: { const: 'https://json-schema.org/draft/2020-12/schema' },
      info: closed(
        {
          title: text,
          version: text,
          summary: text,
          description: text,
          license: closed({ name: text, identifier: text }),
        },
        ['title', 'version'],
      ),
      servers: { ...listOf(closed({ url: text, description: text }, ['url'])), minItems: 1 },
      tags: listOf(closed({ name: text, description: text }, ['name'])),
      security: listOf(ref('security')),
      paths: {
        type: 'object',
        propertyNames: { pattern: '^/' },
        additionalProperties: closed({
          get: operation,
          post: operation,
          put: operation,
          patch: operation,
          delete: operation,
        }),
      },
      components: closed({
        securitySchemes: mapOf(ref('securityScheme')),
        parameters: mapOf(ref('parameter')),
        headers: mapOf(ref('header')),
        responses: mapOf(ref('response')),
        schemas: { type: 'object', propertyNames: { pattern: '^[a-zA-Z0-9._-]+$' }, additionalProperties: schema },
      }),
    },
    ['openapi', 'info', 'paths', 'components'],
  ),
  $defs: {
    security: mapOf(listOf({ enum: [...SCOPES] })),
    securityScheme: {
      oneOf: [
        closed({ type: { const: 'apiKey' }, in: { enum: ['header', 'cookie'] }, name: text, description: text }, [
          'type',
          'in',
          'name',
        ]),
        closed({ type: { const: 'http' }, scheme: { enum: ['bearer', 'basic'] }, description: text }, [
          'type',
          'scheme',
        ]),
      ],
    },
    parameter,
    header: closed({ description: text, required: { type: 'boolean' }, schema, example: true }, ['schema']),
    responses: {
      type: 'object',
      minProperties: 1,
      propertyNames: { pattern: '^([1-5]\\d\\d|default)$' },
      additionalProperties: orReference('responses', ref('response')),
    },
    response: closed(
      {
        description: text,
        headers: mapOf(orReference('headers', ref('header'))),
        // Empty where there is no body: 204.
        content: { anyOf: [ref('content'), { type: 'object', maxProperties: 0 }] },
      },
      ['description'],
    ),
    content: {
      ...mapOf(
        closed({ schema, examples: mapOf(closed({ summary: text, value: true }, ['summary', 'value'])) }, ['schema']),
      ),
      minProperties: 1,
      propertyNames: { pattern: '^[a-z]+/[a-z+-]+$' },
    },
  },
};
