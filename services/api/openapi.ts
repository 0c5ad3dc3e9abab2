import {
  type Json,
  type JsonObject,
  OPENAPI_FOLDER,
  pointedAt,
  readJson,
  readOpenApiFiles,
  type Source,
} from '../../schemas/openapi-files.ts';
import { completed, LEGACY_BASE_PATH } from './openapi-source.ts';

/**
 * The OpenAPI document as one self-contained object: the schemas that its source shares with the validation of bodies
 * (`schemas/http`, `schemas/audience.json`) become components of it, what the source leaves out is there, and the two-step
 * interface stands where this service has it.
 */
export function openApiDocument(legacyBasePath: string): JsonObject {
  document ??= readDocument();
  return { ...document, paths: rebased(document.paths, legacyBasePath) };
}

type WholeSource = JsonObject & Source;
type Document = JsonObject & Pick<Source, 'paths'>;

// Once a process: it takes 0.1 s, and both `/openapi.json` and the check of parameters have it.
let document: Document | undefined;

function readDocument(): Document {
  const components = new Components();
  const {
    paths,
    components: own,
    ...rest
  } = components.resolve(completedSource(), OPENAPI_FOLDER, 'source') as WholeSource;
  const schemas = { ...own['schemas'] };
  for (const [name, schema] of components.collect()) {
    if (name in schemas) throw new Error(`two schemas would be called ${name} in the OpenAPI document`);
    schemas[name] = schema;
  }
  return { ...rest, paths, components: { ...own, schemas } };
}

function completedSource(): JsonObject {
  const { paths, components, copies, ...shared } = readOpenApiFiles();
  return { ...shared, ...completed({ paths, components, copies }) };
}

function rebased(paths: JsonObject, legacyBasePath: string): JsonObject {
  const prefix = `${LEGACY_BASE_PATH}/`;
  return Object.fromEntries(
    Object.entries(paths).map(([path, item]) => [
      path.startsWith(prefix) ? `${legacyBasePath}/${path.slice(prefix.length)}` : path,
      item,
    ]),
  );
}

/** The schemas found behind references to other files, each under one name. */
class Components {
  /** Address of a schema (file and fragment) → its name. */
  readonly #names = new Map<string, string>();

  /** The value with every reference that leaves the source pointing into the components instead. */
  resolve(value: Json, base: URL, within: 'source' | 'schema'): Json {
    if (Array.isArray(value)) return value.map((member) => this.resolve(member as Json, base, within));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value as JsonObject)
        .filter(([key]) => within === 'source' || !['$schema', '$id', '$defs'].includes(key))
        .map(([key, member]) => [key, this.#resolveMember(key, member, base, within)]),
    );
  }

  /** Every schema named so far, and those that they name in turn. */
  *collect(): Generator<[name: string, schema: Json]> {
    // A map's iterator goes on to what is added while it runs.
    for (const [address, name] of this.#names) {
      const url = new URL(address);
      yield [name, this.resolve(pointedAt(readJson(url), url.hash.slice(1)), url, 'schema')];
    }
  }

  #resolveMember(key: string, member: Json, base: URL, within: 'source' | 'schema'): Json {
    const isReference = key === '$ref' && typeof member === 'string';
    if (!isReference || (within === 'source' && member.startsWith('#'))) return this.resolve(member, base, within);
    return `#/components/schemas/${this.#nameOf(new URL(member, base))}`;
  }

  #nameOf({ href }: URL): string {
    const address = href.replace(/#$/, '');
    const known = this.#names.get(address);
    if (known !== undefined) return known;
    const name = nameFor(address);
    if ([...this.#names.values()].includes(name)) throw new Error(`two schemas are called ${name}: ${address}`);
    this.#names.set(address, name);
    return name;
  }
}

/** `identify.json` → `Identify`, `audience.json#/$defs/trait` → `AudienceTrait`; schemas in definitions.json get no prefix. */
function nameFor(address: string): string {
  const [, file = '', definition = ''] = /([^/]+)\.json(?:#.*\/([^/]+))?$/.exec(address) ?? [];
  const hasPrefix = file === 'definitions' || definition.startsWith(file);
  return pascalCase(hasPrefix ? definition : `${file}-${definition}`);
}

function pascalCase(name: string): string {
  return name.replace(/(?:^|[-_.]+)(\w|$)/g, (_, letter: string) => letter.toUpperCase());
}
