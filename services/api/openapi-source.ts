/**
 * What the sources of the OpenAPI document (`schemas/openapi/*.json`) leave out because it is the same everywhere:
 *
 * - A text in place of a parameter, header, answer or schema names the component of that kind: `"404": "NoUser"`.
 * - `"$Name"` is a copy of what `copies` has under that name: examples, parts of them, and whatever two places say. A member
 *   `"$": "Name"` stands for the members of that copy. In place of a name may stand a pointer: `"$": "#/components/schemas/…"`.
 * - `schema` and `examples` directly in a body or an answer are those of `application/json`. An answer with `examples` alone
 *   is a problem document. `example` is the value of an only example.
 * - Every operation takes the id of the request, and every answer has it. A POST of the scope `admin` or `audiences` takes an
 *   Idempotency-Key, unless it is an upload.
 * - What callers have chosen and stands in a path (`IN_QUERY_TOO`) may stand in the query in its place.
 * - A body of JSON is required, may be compressed, and has at most 32,768 bytes unless its description says otherwise.
 * - `x-cli` is for the command line alone, and not answered. `x-mcp` makes a tool of an operation (`services/api/mcp`).
 * - `scope` stands for `security`, and for the answers that `refusalsOf` names. Where an operation has such an answer itself,
 *   that one counts; null takes it away.
 */

import { type Json, type JsonObject, pointedAt, type Source } from '../../schemas/openapi-files.ts';
import { isRepeatable } from '../http/repeats.ts';
import type { Route } from '../http/route.ts';

type Change = (value: Json, key: string) => Json;

/** The default LEGACY_BASE_PATH, under which the sources describe the two-step interface. */
export const LEGACY_BASE_PATH = '/legacy';

const BODY_LIMIT = 'At most 32,768 bytes once decompressed.';

const referenceTo = (kind: string, name: string): Json => ({ $ref: `#/components/${kind}/${name}` });

/** The source as OpenAPI 3.1. */
export function completed(source: Source): Omit<Source, 'copies'> {
  const { paths, components } = withCopies(
    { paths: source.paths, components: source.components },
    source,
  ) as unknown as Source;
  return {
    paths: mapped(paths, (item, path) =>
      mapped(item, (operation, method) => operationOf(operation as JsonObject, method, path)),
    ),
    components: Object.fromEntries(
      Object.entries(components).map(([kind, ofKind]) => [kind, mapped(ofKind, COMPONENTS[kind] ?? withSchema)]),
    ),
  };
}

/** What completes the components of a kind. Those of the others have a schema at most. */
const COMPONENTS: Readonly<Record<string, Change>> = { schemas: schemaOf, responses: completedAnswer };

function withCopies(value: Json, source: Source): Json {
  if (typeof value === 'string' && value.startsWith('$')) {
    const name = value.slice(1);
    const copied = name.startsWith('#') ? pointedAt({ ...source }, name.slice(1)) : source.copies[name];
    if (copied === undefined) throw new Error(`the OpenAPI document has nothing to copy under ${value}`);
    return withCopies(copied, source);
  }
  if (Array.isArray(value)) return (value as Json[]).map((member) => withCopies(member, source));
  if (typeof value !== 'object' || value === null) return value;
  const { $: name, ...own } = value as JsonObject;
  const copied = typeof name === 'string' ? (withCopies(`$${name}`, source) as JsonObject) : {};
  return { ...copied, ...mapped(own, (member) => withCopies(member, source)) };
}

/** No URL has a segment `.` or `..`, also as `%2e`: clients take it for a folder. */
const IN_QUERY_TOO = /\{(user_id|message_id|name)\}/g;

function inQuery(name: string): Json {
  const description = `In place of the \`${name}\` of the path, which may be anything then, such as \`-\`. For one that is \`.\` or \`..\`, which no URL has in its path.`;
  return { name, in: 'query', description, schema: { type: 'string', minLength: 1, maxLength: 512 } };
}

function operationOf(operation: JsonObject, method: string, path: string): JsonObject {
  const isTwoStep = path.startsWith(`${LEGACY_BASE_PATH}/`);
  const { 'x-cli': _, scope, security = [], parameters = [], requestBody, responses = {}, ...rest } = operation;
  const takesJson = requestBody !== undefined && !('content' in (requestBody as JsonObject));
  const isUpload = requestBody !== undefined && !takesJson;
  const route = { method: method.toUpperCase(), scope } as Pick<Route, 'method' | 'scope'>;
  const common = [
    ...(isRepeatable(route) && !isUpload ? ['RepeatKey'] : []),
    ...(takesJson ? ['ContentEncoding'] : []),
    ...[...path.matchAll(IN_QUERY_TOO)].map(([, name = '']) => inQuery(name)),
    'RequestId',
  ];
  const answers = { ...refusalsOf(scope, takesJson, isTwoStep), ...(responses as JsonObject) };
  return {
    ...rest,
    security: scope === undefined ? security : securityOf(scope, isTwoStep),
    parameters: [...(parameters as Json[]), ...common].map((parameter) =>
      typeof parameter === 'string' ? referenceTo('parameters', parameter) : withSchema(parameter),
    ),
    ...(requestBody !== undefined && {
      requestBody: { ...(takesJson && { description: BODY_LIMIT }), required: true, ...mediaOf(requestBody) },
    }),
    responses: mapped(
      Object.fromEntries(Object.entries(answers).filter(([, answer]) => answer !== null)),
      completedAnswer,
    ),
  };
}

/** @param scope `any` where a key of every scope will do. */
function securityOf(scope: Json, isTwoStep: boolean): Json {
  const schemes = [isTwoStep ? 'serviceKey' : 'apiKey', 'xApiKey', 'bearer', 'basic'];
  return schemes.map((scheme) => ({ [scheme]: scope === 'any' ? [] : [scope] }));
}

/** What an operation of the scope may be refused with, whatever it does. The rate of a project does not bind an admin key. */
function refusalsOf(scope: Json | undefined, takesJson: boolean, isTwoStep: boolean): JsonObject {
  if (scope === undefined) return {};
  const refusals: Readonly<Record<string, string>> = {
    400: takesJson ? 'BadRequest' : 'BadParameter',
    401: 'Unauthorized',
    ...(takesJson && { 413: 'TooLarge' }),
    ...(scope !== 'admin' && { 429: 'TooManyRequests' }),
    503: 'Unavailable',
    default: 'Refused',
  };
  return isTwoStep ? mapped(refusals, (name) => `TwoStep${name as string}`) : refusals;
}

function completedAnswer(answer: Json): Json {
  if (typeof answer === 'string') return referenceTo('responses', answer);
  const { headers = {}, ...message } = answer as JsonObject;
  const all = { 'X-Request-Id': 'RequestId', ...(headers as JsonObject) };
  return {
    ...mediaOf(message),
    headers: mapped(all, (header) =>
      typeof header === 'string' ? referenceTo('headers', header) : withSchema(header),
    ),
  };
}

/** A body, or an answer without its headers. */
function mediaOf(message: Json): JsonObject {
  const { content, schema, example, examples: several, ...rest } = message as JsonObject;
  if (content !== undefined) return { ...rest, content: mapped(content, withSchema) };
  const examples = example === undefined ? several : { example: { summary: 'As it is answered', value: example } };
  if (schema === undefined && examples === undefined) return rest;
  const type = schema === undefined ? 'application/problem+json' : 'application/json';
  const media = { schema: schema ?? 'Problem', ...(examples !== undefined && { examples }) };
  return { ...rest, content: { [type]: withSchema(media) } };
}

function withSchema(value: Json): Json {
  const { schema, ...rest } = value as JsonObject;
  return schema === undefined ? rest : { ...rest, schema: schemaOf(schema) };
}

function schemaOf(schema: Json): Json {
  if (typeof schema === 'string') return referenceTo('schemas', schema);
  if (typeof schema !== 'object' || schema === null) return schema;
  return mapped(schema, (value, keyword) => {
    if (keyword === 'properties') return mapped(value, schemaOf);
    if (['oneOf', 'anyOf', 'allOf'].includes(keyword)) return (value as Json[]).map(schemaOf);
    return ['items', 'additionalProperties', 'not'].includes(keyword) ? schemaOf(value) : value;
  });
}

function mapped(object: Json, change: Change): JsonObject {
  return Object.fromEntries(Object.entries(object as JsonObject).map(([key, value]) => [key, change(value, key)]));
}
