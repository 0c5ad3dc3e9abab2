/** The operations of the OpenAPI document that `x-cli` makes commands of. */
import {
  type Json,
  type JsonObject,
  OPENAPI_FOLDER,
  pointedAt,
  readJson,
  readOpenApiFiles,
} from '../../../schemas/openapi-files.ts';
import type { OperationName } from '../../../schemas/operations.ts';
import type { Columns } from './cells.ts';

/** What `x-cli` says at an operation: docs/contributing.md describes it. */
interface CliWords {
  readonly command: string;
  readonly help?: string;
  readonly arguments?: readonly string[];
  readonly options?: Readonly<Record<string, { readonly sets: string | JsonObject; readonly help?: string }>>;
  readonly without?: readonly string[];
  readonly defaults?: JsonObject;
  readonly columns?: Columns | string;
  readonly lines?: readonly string[];
  readonly oldestFirst?: true;
  readonly progress?: string;
}

/** The keywords of a schema that say what an option takes. */
export interface Keywords {
  readonly $ref?: string;
  /** The file that its references begin at; undefined for the document. */
  readonly base?: string | undefined;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly Json[];
  readonly items?: Keywords;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: Json;
  readonly properties?: Readonly<Record<string, Keywords | string>>;
  readonly required?: readonly string[];
}

/** A parameter or a member of the body, which an option or a word of the command sets. */
export interface Field {
  /** The name of the option, without its dashes. */
  readonly option: string;
  readonly in: 'path' | 'query' | 'body';
  /** The path of what is set: `within.last`; or the values that it sets by itself. */
  readonly sets: string | JsonObject;
  readonly schema: Keywords;
  readonly help: string;
  readonly isRequired: boolean;
}

/** Where a project is named: by a word before the others, in the path, by a parameter or member, or by the key. */
export type ProjectPart = 'operand' | 'path' | 'query' | 'body' | 'key' | undefined;

export interface Described {
  readonly name: OperationName;
  readonly words: CliWords;
  readonly columns: Columns | undefined;
  readonly help: string;
  readonly arguments: readonly Argument[];
  readonly fields: readonly Field[];
  readonly project: ProjectPart;
  /** Whether it is of one project, the only one where none is named. */
  readonly needsProject: boolean;
  /** The most of a page, where its listing comes in pages. */
  readonly pageLimit: number | undefined;
  readonly hasBody: boolean;
}

/** A word of the command. It may set the `body` itself. */
export type Argument = Field & { readonly sets: string };

interface Parameter {
  readonly name: string;
  readonly in: Field['in'];
  readonly description?: string;
  readonly required?: boolean;
  readonly schema: Keywords | string;
}

interface OperationSource {
  readonly summary: string;
  readonly parameters?: readonly (Parameter | string)[];
  readonly requestBody?: { readonly schema?: Keywords | string };
  readonly 'x-cli'?: CliWords;
}

// Every command reads this: the areas without a command are left out.
const { paths, components, copies } = readOpenApiFiles('"x-cli"');

/** In the order of the document. */
export function describedOperations(): readonly Described[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item as unknown as Readonly<Record<string, OperationSource>>).flatMap(([method, operation]) => {
      const words = operation['x-cli'];
      return words === undefined ? [] : [describe(`${method.toUpperCase()} ${path}`, operation, words)];
    }),
  );
}

function describe(name: string, operation: OperationSource, words: CliWords): Described {
  const parameters = (operation.parameters ?? []).map((one) =>
    typeof one === 'string' ? (components['parameters']?.[one] as unknown as Parameter) : one,
  );
  const body = operation.requestBody?.schema;
  const given = parameters.map((one) => parameterField(one));
  const members = body === undefined ? [] : memberFields(followed(body));
  const all = [...given.filter((one) => one.in === 'query'), ...members];
  const project = projectPart(name, all);
  const isPaged = all.some(({ sets }) => sets === 'cursor');
  const ofPath = given.filter((one) => one.in === 'path' && (project !== 'path' || one.sets !== 'id'));
  const operands = argumentsOf(words, ofPath, all);
  return {
    name: name as OperationName,
    words,
    columns: typeof words.columns === 'string' ? (copies[words.columns.slice(1)] as Columns) : words.columns,
    help: words.help ?? operation.summary,
    arguments: operands,
    fields: fieldsOf(words, all, operands, isPaged),
    project,
    needsProject:
      project === 'operand' ||
      project === 'path' ||
      all.some(({ sets, isRequired }) => sets === 'project' && isRequired),
    pageLimit: isPaged ? (all.find(({ sets }) => sets === 'limit')?.schema.maximum ?? Infinity) : undefined,
    hasBody: body !== undefined,
  };
}

/** What is set by options, each in one way. */
function fieldsOf(words: CliWords, all: readonly Field[], given: readonly Argument[], isPaged: boolean): Field[] {
  const { without = [], defaults = {} } = words;
  const renamed = renamedFields(words, all);
  const apart = new Set([
    'cursor',
    'project',
    ...without,
    ...given.map(({ sets }) => sets),
    ...renamed.map(({ sets }) => sets),
  ]);
  if (isPaged && defaults['limit'] === undefined) apart.add('limit');
  const hasDocument = given.some(({ sets }) => sets === 'body');
  return [...all.filter(({ sets }) => !apart.has(sets)), ...renamed].map((field) => {
    const mayLack = hasDocument || (typeof field.sets === 'string' && field.sets in defaults);
    const isLimit = isPaged && field.sets === 'limit';
    return { ...field, ...(mayLack && { isRequired: false }), ...(isLimit && LISTED) };
  });
}

function parameterField({ name, in: part, schema, required = false, description }: Parameter): Argument {
  return fieldOf(part, name, { ...followed(schema), ...(description !== undefined && { description }) }, required);
}

function memberFields({ properties = {}, required = [], base }: Keywords): Field[] {
  return Object.entries(properties).map(([name, schema]) =>
    fieldOf('body', name, followed(schema, base), required.includes(name)),
  );
}

function fieldOf(part: Field['in'], name: string, schema: Keywords, isRequired: boolean): Argument {
  const option = name.replaceAll('_', '-');
  return { option, in: part, sets: name, schema, help: helpOf(schema), isRequired };
}

function renamedFields({ options = {} }: CliWords, all: readonly Field[]): Field[] {
  return Object.entries(options).map(([option, { sets, help }]) => {
    const path = typeof sets === 'string' ? sets : (Object.keys(sets)[0] ?? '');
    const [first = '', ...rest] = path.split('.');
    const top = all.find((field) => field.sets === first);
    if (top === undefined) throw new Error(`--${option} sets ${first}, which its operation does not have`);
    const schema = rest.reduce<Keywords>((one, step) => followed(one.properties?.[step] ?? {}, one.base), top.schema);
    return { option, in: top.in, sets, schema, help: help ?? helpOf(schema), isRequired: false };
  });
}

function argumentsOf({ arguments: words }: CliWords, ofPath: readonly Argument[], all: readonly Field[]): Argument[] {
  const named = words ?? ofPath.map(({ sets }) => sets);
  return named.map((word) => {
    const sets = word.replaceAll(/[[\]]/g, '');
    const field = [...all, ...ofPath].find((one) => one.sets === sets) ?? fieldOf('body', sets, BODY, false);
    return { ...field, sets, isRequired: sets === word };
  });
}

const BODY = { description: 'A file, - for standard input, or JSON; options replace its members.' };

/** The limit of a command is that of its whole listing, which comes in pages. */
const LISTED = { schema: { type: 'integer', minimum: 1 }, help: 'The most that are listed' } as const;

function projectPart(name: string, all: readonly Field[]): ProjectPart {
  if (/ \/v1\/(?:audiences|endpoints|pins|notes|watches)\b/.test(name)) return 'operand';
  if (/ \/v1\/(?:users|events|funnels)\b/.test(name)) return 'key';
  if (name.includes('/v1/admin/projects/{id}')) return 'path';
  return all.find(({ sets }) => sets === 'project')?.in;
}

/** The schema itself, with the description of what refers to it. */
function followed(schema: Keywords | string, base?: string): Keywords {
  if (typeof schema === 'string') return followed((components['schemas']?.[schema] ?? {}) as Keywords);
  const { $ref, ...own } = schema;
  if ($ref === undefined) return { ...schema, base };
  const [, name] = /^#\/components\/schemas\/(.*)$/.exec($ref) ?? [];
  if (name !== undefined) return { ...followed(name), ...own };
  const { href, hash } = new URL($ref, base ?? OPENAPI_FOLDER);
  const file = href.slice(0, href.length - hash.length);
  return { ...followed(pointedAt(fileAt(file), hash.slice(1)) as Keywords, file), ...own };
}

const files = new Map<string, Json>();

function fileAt(href: string): Json {
  const file = files.get(href) ?? readJson(new URL(href));
  files.set(href, file);
  return file;
}

const LONG = 200;

/** The description, of a long one its first sentence, for people who type `none` where JSON has null. */
export function helpOf({ description = '' }: Keywords, longest = LONG): string {
  const [first = ''] = /^.*?(?:\.(?= [A-Z`(])|$)/s.exec(description) ?? [];
  const text = description.length <= longest ? description : first;
  return text
    .replaceAll('`', '')
    .replaceAll(/\bnull(?=:)/gi, 'none')
    .replace(/\.$/, '');
}
