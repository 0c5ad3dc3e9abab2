/** What a request sends: checked by the OpenAPI document, and with the document's types. */
import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Json, JsonObject } from '../../schemas/openapi-files.ts';
import type { Body, OperationName, PathParameters, QueryParameters } from '../../schemas/operations.ts';
import { isJsonObject } from '../questions/definition/reading.ts';
import type { Call } from '../http/call.ts';
import type { Route } from '../http/route.ts';
import { parseBody } from '../messages/json.ts';
import type { Problem } from '../messages/message.ts';
import { firstByPath } from '../messages/unacceptable.ts';
import { openApiDocument } from './openapi.ts';
import { type Checked, refuseBody } from './query.ts';
import { problemsOf } from './schema-problems.ts';

/** The parameters of a request. One that has a default in the document is always there. */
export interface Input<Name extends OperationName> {
  readonly path: PathParameters<Name>;
  readonly query: QueryParameters<Name>;
}

export type How = Omit<Route, 'method' | 'path' | 'query' | 'handle'>;

/** The route of a documented operation. Its handler is called with parameters that are as the document has them. */
export function route<Name extends OperationName>(
  name: Name,
  how: How,
  handle: (call: Call, input: Input<Name>) => ReturnType<Route['handle']>,
): Route {
  return unreadRoute(name, how, (call) => {
    const input = readInput(name, call);
    return input.ok ? handle(call, input.value) : input.refusal;
  });
}

/** The same, for a handler that reads the parameters itself, because it looks something up before. */
export function unreadRoute(name: OperationName, how: How, handle: Route['handle']): Route {
  const [method, path] = name.split(' ') as [Route['method'], string];
  return {
    ...how,
    method,
    path: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    // The document is read when the first of its operations is asked for.
    get query() {
      return parametersOf(name).all.flatMap((one) => (one.in === 'query' ? one.name : []));
    },
    handle,
  };
}

/** Routes by the names of their operations. */
export function routesByName(routes: readonly Route[]): ReadonlyMap<string, Route> {
  return new Map(routes.map((one) => [`${one.method} ${one.path.replaceAll(/:(\w+)/g, '{$1}')}`, one]));
}

/** Reads the parameters of a request, and names all that is wrong with them. */
export function readInput<Name extends OperationName>(
  name: Name,
  { params, query }: Pick<Call, 'params' | 'query'>,
): Checked<Input<Name>> {
  const { all, validate } = parametersOf(name);
  const problems: string[] = [];
  const input: Record<Parameter['in'], Record<string, unknown>> = { path: {}, query: {} };
  for (const { name: parameter, in: part, schema } of all) {
    const texts = part === 'path' ? [params[parameter] ?? ''] : query.getAll(parameter);
    const [text] = texts;
    if (texts.length > 1) problems.push(`${parameter} may be given once only`);
    else if (text?.includes('\0') === true) problems.push(`${parameter} must not hold a NUL character`);
    else if (text !== undefined) input[part][parameter] = valueOf(text, schema);
  }
  for (const parameter of Object.keys(input.path)) {
    const { [parameter]: instead, ...rest } = input.query;
    if (instead === undefined) continue;
    input.path[parameter] = instead;
    input.query = rest;
  }
  if (!validate(input)) {
    for (const { path, message } of problemsOf(validate)) problems.push(`${path.split('/').at(-1) ?? ''} ${message}`);
  }
  if (problems.length > 0) return { ok: false, refusal: { refused: 'invalid-parameter', detail: problems.join('; ') } };
  return { ok: true, value: input as unknown as Input<Name> };
}

export type Members = Readonly<Record<string, unknown>>;

/** What a reader of a body found: what is wrong, or what it read. */
type Outcome = { readonly ok: true } | { readonly ok: false; readonly problems: readonly Problem[] };

export interface BodyInput<Name extends OperationName, R extends Outcome> {
  /** Numbers are numbers. */
  readonly body: Body<Name>;
  readonly also: Extract<R, { readonly ok: true }>;
}

/**
 * Reads the body of a request, and names all that is wrong with it.
 *
 * @param also Reads what the document's schemas do not say of a body, such as a definition. Its numbers have every digit.
 */
export function readBody<Name extends OperationName, R extends Outcome>(
  name: Name,
  { text }: Pick<Call, 'text'>,
  also: (exact: Members) => R = () => ({ ok: true }) as R,
): Checked<BodyInput<Name, R>> {
  const parsed = parseBody(text);
  if (!parsed.ok) return refuseBody(parsed.problems);
  const { plain, exact } = parsed.value;
  const validate = bodyValidatorOf(name);
  const read = isJsonObject(exact) ? also(exact) : undefined;
  const problems = [...(validate(plain) ? [] : problemsOf(validate)), ...(read?.ok === false ? read.problems : [])];
  if (problems.length > 0 || read?.ok !== true) return refuseBody(firstByPath(problems));
  return { ok: true, value: { body: plain as Body<Name>, also: read as Extract<R, { readonly ok: true }> } };
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly description?: string;
  readonly required?: boolean;
  readonly schema: { readonly type?: string };
  readonly example?: Json;
}

interface Parameters {
  readonly all: readonly Parameter[];
  readonly validate: ValidateFunction;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  /** What makes a tool of it: docs/contributing.md describes it. */
  readonly 'x-mcp'?: { readonly without?: readonly string[]; readonly keepsTexts?: true };
}

type Media = Partial<Record<'schema' | 'examples', JsonObject>>;

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly schemas: Readonly<Record<string, JsonObject>>;
  };
}

const DIGITS: Readonly<Record<string, RegExp>> = { integer: /^\d{1,15}$/, number: /^\d{1,15}(?:\.\d{1,3})?$/ };

/** The text of a number or a boolean as that, any other as it is. */
function valueOf(text: string, { type = 'string' }: Parameter['schema']): unknown {
  if (DIGITS[type]?.test(text) === true) return Number(text);
  return type === 'boolean' && (text === 'true' || text === 'false') ? text === 'true' : text;
}

/** Made at the first use: a process that answers no such request does not pay for it. */
function once<K, V>(make: (key: K) => V): (key: K) => V {
  const made = new Map<K, V>();
  return (key) => {
    const value = made.get(key) ?? make(key);
    made.set(key, value);
    return value;
  };
}

const DOCUMENT_ID = 'openapi';

const documented = once(() => {
  const document = openApiDocument('/legacy') as unknown as Document;
  // A test holds the schemas against their dialect, which takes half a second.
  const checks = { strict: false, validateSchema: false, meta: false } as const;
  const ajv = new Ajv2020({ ...checks, allErrors: true, verbose: true, useDefaults: true });
  // Definitions are read by readers of their own, which keep digits.
  const schemas = { ...document.components.schemas, Audience: {} };
  ajv.addSchema({ $id: DOCUMENT_ID, components: { schemas } });
  return { document, compile: (schema: object) => ajv.compile(JSON.parse(absolute(schema)) as object) };
});

/** JSON of a schema whose references lead into the document's. */
function absolute(schema: object): string {
  return JSON.stringify(schema).replaceAll('"$ref":"#/', `"$ref":"${DOCUMENT_ID}#/`);
}

export function documentedOperations(): readonly (readonly [OperationName, Operation])[] {
  return Object.entries(documented(undefined).document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, one]) => [`${method.toUpperCase()} ${path}` as OperationName, one] as const),
  );
}

/** @param reference `#/components/schemas/Audience`. */
export function documentedSchema(reference: string): JsonObject {
  return documented(undefined).document.components.schemas[reference.split('/').at(-1) ?? ''] ?? {};
}

function operationOf(name: OperationName): Operation {
  const [method = '', path = ''] = name.split(' ');
  const operation = documented(undefined).document.paths[path]?.[method.toLowerCase()];
  if (operation === undefined) throw new Error(`the OpenAPI document has no ${name}`);
  return operation;
}

export const parametersOf = once((name: OperationName): Parameters => {
  const { document, compile } = documented(undefined);
  const all = operationOf(name)
    .parameters.map((one) => ('$ref' in one ? document.components.parameters[one.$ref.split('/').at(-1) ?? ''] : one))
    .filter((one) => one?.in === 'path' || one?.in === 'query') as readonly Parameter[];
  const objectOf = (part: Parameter['in']): object => ({
    type: 'object',
    properties: Object.fromEntries(all.flatMap((one) => (one.in === part ? [[one.name, one.schema]] : []))),
  });
  return { all, validate: compile({ properties: { path: objectOf('path'), query: objectOf('query') } }) };
});

const bodyValidatorOf = once((name: OperationName): ValidateFunction => {
  return documented(undefined).compile(operationOf(name).requestBody?.content['application/json']?.schema ?? {});
});
