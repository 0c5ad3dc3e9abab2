import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { openApiDocument } from '../../../services/api/openapi.ts';
import type { Scope } from '../../../services/stores/projects/project-store.ts';

/** What the tests look at in an OpenAPI document. References stand as they are; `Document.follow` resolves them. */
export interface MediaType {
  readonly schema: object;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

export interface HeaderOrParameter {
  readonly description?: string;
  readonly name?: string;
  readonly in?: string;
  readonly required?: boolean;
  readonly schema: object;
  readonly example?: unknown;
}

export interface ResponseObject {
  readonly headers?: Readonly<Record<string, HeaderOrParameter>>;
  readonly content: Readonly<Record<string, MediaType>>;
}

export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  /** The scope that its security asks for; undefined where any key will do, or none is needed. */
  readonly scope: Scope | undefined;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters: readonly HeaderOrParameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, MediaType>> };
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

type Schema = Readonly<Record<string, unknown>>;
type Schemas = Readonly<Record<string, Schema>>;

interface Source {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Omit<Operation, 'method' | 'path' | 'scope'>>>>>;
  readonly components: Readonly<
    Record<'schemas' | 'responses' | 'parameters' | 'headers', Readonly<Record<string, Schema>>>
  >;
}

/** The document that the service serves, with its schemas compiled. */
export class Document {
  readonly raw: Source;
  readonly operations: readonly Operation[];
  readonly #ajv: Ajv2020;
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor(legacyBasePath = '/legacy') {
    this.raw = openApiDocument(legacyBasePath) as unknown as Source;
    this.operations = Object.entries(this.raw.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) =>
        this.#resolved({ ...operation, ...keysOf(operation), method, path, scope: scopeOf(operation) }),
      ),
    );
    this.#ajv = new Ajv2020({ allErrors: true, strict: true, strictTypes: false, strictRequired: false });
    const { schemas } = this.raw.components;
    this.#ajv.addSchema({ $id: 'open', $defs: moved(schemas, 'open') });
    this.#ajv.addSchema({ $id: 'closed', $defs: moved(closedSchemas(schemas, schemas), 'closed') });
  }

  operation(operationId: string): Operation {
    const found = this.operations.find((operation) => operation.operationId === operationId);
    if (found === undefined) throw new Error(`no operation is called ${operationId}`);
    return found;
  }

  /**
   * What is wrong with a value by one of the document's schemas. `closed`: members that the document does not name are
   * wrong as well, as befits what we answer ourselves.
   */
  problems(schema: object, value: unknown, kind: 'open' | 'closed' = 'open'): readonly ErrorObject[] {
    const { schemas } = this.raw.components;
    const text = JSON.stringify(moved(kind === 'closed' ? closedSchema(schema as Schema, schemas) : schema, kind));
    const validate = this.#compiled.get(text) ?? this.#ajv.compile(JSON.parse(text) as object);
    this.#compiled.set(text, validate);
    return validate(value) ? [] : (validate.errors ?? []);
  }

  #resolved(operation: Operation): Operation {
    const parameters = (operation.parameters ?? []).map((parameter) => this.#follow(parameter));
    const responses = Object.entries(operation.responses).map(([status, response]) => {
      const followed = this.#follow(response);
      const headers = Object.entries(followed.headers ?? {}).map(([name, header]) => [name, this.#follow(header)]);
      return [status, { ...followed, headers: Object.fromEntries(headers) as ResponseObject['headers'] }];
    });
    return { ...operation, parameters, responses: Object.fromEntries(responses) as Operation['responses'] };
  }

  #follow<T extends object>(value: T): T {
    if (!('$ref' in value)) return value;
    const [, , kind, name] = (value.$ref as string).split('/');
    const found = this.raw.components[kind as keyof Source['components']][name ?? ''];
    if (found === undefined) throw new Error(`nothing stands at ${String(value.$ref)}`);
    return found as T;
  }
}

/** The security by keys. The cookie of the console stands for one: it has tests of its own. */
function keysOf({ security }: Pick<Operation, 'security'>): Pick<Operation, 'security'> {
  return { security: security.filter((one) => Object.keys(one).some((scheme) => scheme !== 'session')) };
}

function scopeOf({ security }: Pick<Operation, 'security'>): Scope | undefined {
  return Object.values(security[0] ?? {})[0]?.[0] as Scope | undefined;
}

/** The same schemas with their references to components leading into the schema of this name. */
function moved<T>(schemas: T, id: string): T {
  return JSON.parse(JSON.stringify(schemas).replaceAll('"#/components/schemas/', `"${id}#/$defs/`)) as T;
}

function closedSchemas(schemas: Schemas, all: Schemas): Record<string, Schema> {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, closedSchema(schema, all)]));
}

/** Closes every object that says what its members are, unless it says that there may be others. */
function closedSchema(schema: Schema, all: Schemas): Schema {
  const { allOf } = schema;
  const isOpen = !('properties' in schema) || 'additionalProperties' in schema;
  return {
    ...(isOpen ? {} : { additionalProperties: false }),
    ...closedWithin(schema, all),
    ...(allOf !== undefined && closedTogether(allOf as readonly Schema[], all)),
  };
}

function closedWithin(schema: Schema, all: Schemas): Schema {
  const members = Object.entries(schema).map(([key, value]) => {
    if (key === 'examples' || typeof value !== 'object' || value === null || Array.isArray(value)) return [key, value];
    return [key, key === 'properties' ? closedSchemas(value as Schemas, all) : closedSchema(value as Schema, all)];
  });
  return Object.fromEntries(members) as Schema;
}

/** The components of a whole, none of which knows the members of the others. Other parts may name a few members again. */
function closedTogether(allOf: readonly Schema[], all: Schemas): Schema {
  const parts = allOf.map((part) => {
    const component = all[String(part['$ref']).replace('#/components/schemas/', '')];
    return component === undefined ? part : closedWithin(component, all);
  });
  return { allOf: parts, unevaluatedProperties: false };
}
