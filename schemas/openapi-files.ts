/** The files of the OpenAPI document as they are written; services/api/openapi-source.ts says what they leave out. */
import { readdirSync, readFileSync } from 'node:fs';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

export interface Source {
  readonly paths: JsonObject;
  /** Kind (`schemas`, `parameters`, …) → name → component. */
  readonly components: Readonly<Record<string, JsonObject>>;
  readonly copies: JsonObject;
}

export const OPENAPI_FOLDER = new URL('./openapi/', import.meta.url);

// What all parts share. Every other file of the folder has the paths of one area, and the components that they alone use.
const SHARED = 'openapi.json';

/** All files as one. @param having Leaves out the areas whose file does not have this text. */
export function readOpenApiFiles(having = ''): JsonObject & Source {
  const shared = readJson(new URL(SHARED, OPENAPI_FOLDER)) as JsonObject & Partial<Source>;
  const files = readdirSync(OPENAPI_FOLDER).filter((name) => name.endsWith('.json') && name !== SHARED);
  const texts = files.sort().map((name) => readFileSync(new URL(name, OPENAPI_FOLDER), 'utf8'));
  const parts = texts.filter((text) => text.includes(having)).map((text) => JSON.parse(text) as Partial<Source>);
  const components = [shared, ...parts].map(({ components = {} }) => components);
  const kinds = new Set(components.flatMap((component) => Object.keys(component)));
  const byKind = [...kinds].map((kind) => [kind, union(components.map((component) => component[kind] ?? {}))]);
  return {
    ...shared,
    paths: union(parts.map(({ paths = {} }) => paths)),
    components: Object.fromEntries(byKind) as Source['components'],
    copies: union(parts.map(({ copies = {} }) => copies)),
  };
}

/** @throws Error where two of the objects have a member of one name. */
function union(objects: readonly JsonObject[]): JsonObject {
  const entries = objects.flatMap((object) => Object.entries(object));
  const names = new Set<string>();
  for (const [name] of entries) {
    if (names.has(name)) throw new Error(`the OpenAPI document has ${name} twice`);
    names.add(name);
  }
  return Object.fromEntries(entries);
}

/** What an RFC 6901 pointer points at. */
export function pointedAt(document: Json, pointer: string): Json {
  const steps = pointer.split('/').slice(1);
  return steps.reduce<Json>((value, step) => {
    const member = (value as JsonObject)[step.replaceAll('~1', '/').replaceAll('~0', '~')];
    if (member === undefined) throw new Error(`nothing stands at ${pointer}`);
    return member;
  }, document);
}

export function readJson(url: URL): Json {
  return JSON.parse(readFileSync(url, 'utf8')) as Json;
}
