/**
 * Makes `schemas/openapi-types.ts`, which is not kept in git: the schemas of the OpenAPI document, and what each operation
 * takes and answers, as types. `npm run types` and an installation with development packages run it.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { openApiDocument } from '../services/api/openapi.ts';

const FILE = new URL('../schemas/openapi-types.ts', import.meta.url);
const HEAD = '/** Made by tools/openapi-types.ts from schemas/openapi/*.json, and not written by hand. */\n';

type Schema = boolean | Keywords;

/** The keywords of JSON Schema that say something about a type. */
interface Keywords {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

interface Message {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

interface Operation {
  readonly parameters: readonly Parameter[];
  readonly requestBody?: Message;
  readonly responses: Readonly<Record<string, Message>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly responses: Readonly<Record<string, Message>>;
  };
}

export function writeOpenApiTypes(): void {
  const text = HEAD + typesOf(openApiDocument('/legacy') as unknown as Document);
  // As it is where nothing changed, so that nobody who watches the file takes it for new.
  if (!existsSync(FILE) || readFileSync(FILE, 'utf8') !== text) writeFileSync(FILE, text);
}

function typesOf({ paths, components }: Document): string {
  const schemas = Object.entries(components.schemas).map(([name, schema]) => member(name, schema, true));
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(
      ([method, operation]) => `'${method.toUpperCase()} ${path}': ${operationType(operation, components)};`,
    ),
  );
  return `export interface Schemas {\n${schemas.join('\n')}\n}\n\nexport interface Operations {\n${operations.join('\n')}\n}\n`;
}

function operationType(operation: Operation, components: Document['components']): string {
  const parameters = operation.parameters.map((one) => followed(one, components.parameters));
  const answers = [200, 201, 202].map((status) => operation.responses[status]);
  const answered = answers.flatMap((answer) => jsonTypes(answer && followed(answer, components.responses)));
  const path = parametersType(parameters, 'path');
  return `{
  readonly path: ${path === '{}' ? 'never' : path};
  readonly query: ${parametersType(parameters, 'query')};
  readonly body: ${jsonTypes(operation.requestBody).join(' | ') || 'never'};
  readonly answer: ${answered.join(' | ') || 'never'};
}`;
}

function followed<T extends { readonly $ref?: string }>(value: T, components: Readonly<Record<string, T>>): T {
  return value.$ref === undefined ? value : (components[nameOf(value.$ref)] ?? value);
}

function parametersType(parameters: readonly Parameter[], place: string): string {
  const described = parameters.filter((parameter) => parameter.in === place);
  const members = described.map(({ name, required = false, schema }) => member(name, schema, required));
  return `{${members.join(' ')}}`;
}

/** JSON, or a line of NDJSON. */
function jsonTypes(message: Message | undefined): string[] {
  const { 'application/json': json, 'application/x-ndjson': lines } = message?.content ?? {};
  return [json, lines].flatMap((media) => (media === undefined ? [] : [typeOf(media.schema)]));
}

/** The TypeScript type of what the schema admits, or of more than that where types cannot say it. */
function typeOf(schema: Schema): string {
  if (typeof schema === 'boolean') return schema ? 'unknown' : 'never';
  const alternatives = [schema.oneOf, schema.anyOf].flatMap((schemas) =>
    schemas === undefined ? [] : [union(schemas)],
  );
  const all = [ownType(schema), ...(schema.allOf ?? []).map(typeOf), ...alternatives];
  return all.filter((type) => type !== 'unknown').join(' & ') || 'unknown';
}

function union(schemas: readonly Schema[]): string {
  const types = schemas.map(typeOf);
  return types.includes('unknown') ? 'unknown' : `(${types.map((type) => `(${type})`).join(' | ')})`;
}

/** The type without what other schemas add to it. */
function ownType(schema: Keywords): string {
  const { $ref, type, properties } = schema;
  if ($ref !== undefined) return `Schemas['${nameOf($ref)}']`;
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return `(${schema.enum.map((value) => JSON.stringify(value)).join(' | ')})`;
  if (type === undefined) return properties === undefined ? 'unknown' : objectType(schema);
  return typeof type === 'string'
    ? namedType(type, schema)
    : `(${type.map((one) => namedType(one, schema)).join(' | ')})`;
}

function namedType(type: string, schema: Keywords): string {
  if (type === 'array') return `readonly (${typeOf(schema.items ?? {})})[]`;
  if (type === 'object') return objectType(schema);
  return type === 'integer' ? 'number' : type;
}

function objectType({ properties, required = [], additionalProperties }: Keywords): string {
  const named = Object.entries(properties ?? {}).map(([name, one]) => member(name, one, required.includes(name)));
  const others = additionalProperties ?? properties === undefined;
  if (others === false) return `{${named.join(' ')}}`;
  const index = `{ readonly [name: string]: ${typeOf(others)} }`;
  return properties === undefined ? index : `({${named.join(' ')}} & ${index})`;
}

function member(name: string, schema: Schema, isRequired: boolean): string {
  const keywords: Keywords = typeof schema === 'boolean' ? {} : schema;
  const { description } = keywords;
  const comment = description === undefined ? '' : `/** ${description.replaceAll('*/', '* /')} */ `;
  return `${comment}readonly ${JSON.stringify(name)}${isRequired || 'default' in keywords ? '' : '?'}: ${typeOf(schema)};`;
}

function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

if (import.meta.main) writeOpenApiTypes();
