/** A folder of definitions: a file for what a project has one of, and a folder of files for what it has many of. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { commandInvalid } from '../../runtime/command.ts';
import { keepDigits } from '../client/ask.ts';

type Content = Readonly<Record<string, unknown>>;
type Env = Readonly<Record<string, string | undefined>>;
/** As the service takes and answers them: `audiences` is a list, and `settings` stands alone. */
export type Definitions = Readonly<Record<string, Content | readonly Content[]>>;

interface DefinitionFile {
  /** Within the folder. */
  readonly path: string;
  readonly sha256: string;
  readonly content: Content;
}

/** What a folder has, each with the hash of its file. @throws TidemarkError `COMMAND_INVALID`; what reading throws. */
export function readFolder(folder: string, env: Env) {
  const files = new Map<string, DefinitionFile | readonly DefinitionFile[]>();
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const [name = '', end] = entry.name.split(/(\.json)$/);
    if (entry.isDirectory() && !name.startsWith('.')) files.set(name, filesIn(folder, name));
    else if (end !== undefined) files.set(name, readFile(folder, entry.name));
  }
  if (files.size === 0) throw commandInvalid(`${folder} has no definitions.`);
  const sent = ({ content, sha256, path }: DefinitionFile) => {
    const { url } = content;
    return { ...content, ...(typeof url === 'string' && { url: filled(url, env, path) }), sha256 };
  };
  const body = Object.fromEntries([...files].map(([list, of]) => [list, 'path' in of ? sent(of) : of.map(sent)]));
  /** The same text with files in place of pointers into the body. */
  const named = (text: string): string =>
    text.replaceAll(/(?<![\w.])\/(\w+)(?:\/(\d+))?\b/g, (pointer, list: string, at: string | undefined) => {
      const of = files.get(list);
      const file = of === undefined || 'path' in of ? of : of[Number(at)];
      return file === undefined ? pointer : `${file.path} `;
    });
  return { body, named };
}

function filesIn(folder: string, list: string): readonly DefinitionFile[] {
  const names = existsSync(join(folder, list)) ? readdirSync(join(folder, list)).sort() : [];
  return names.flatMap((name) => (name.endsWith('.json') ? [readFile(folder, `${list}/${name}`)] : []));
}

function readFile(folder: string, path: string): DefinitionFile {
  try {
    const bytes = readFileSync(join(folder, path));
    const content: unknown = JSON.parse(bytes.toString(), keepDigits);
    if (typeof content !== 'object' || content === null || Array.isArray(content)) throw new Error('it is no object');
    return { path, sha256: createHash('sha256').update(bytes).digest('hex'), content: content as Content };
  } catch (cause) {
    throw commandInvalid(`${path} cannot be read: ${(cause as Error).message}`);
  }
}

/** What stands in the environment in place of `${NAME}`: a URL may have a secret, and files have none. */
function filled(url: string, env: Env, path: string): string {
  return url.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => {
    const value = env[name];
    if (value === undefined) throw commandInvalid(`${path}: the environment has no ${name}, which its url needs.`);
    return value;
  });
}

/** Writes a file for each, where it stood before if it did. Returns the files of lists that are of none of them. */
export function writeFolder(folder: string, definitions: Definitions): readonly string[] {
  return Object.entries(definitions).flatMap(([list, contents]) => {
    if (!Array.isArray(contents)) return write(folder, `${list}.json`, contents as Content);
    const before = filesIn(folder, list);
    const others = new Map(before.map((file) => [fileKeyOf(file.content), file]));
    const used = new Set(before.map(({ path }) => path));
    for (const content of contents as readonly Content[]) {
      const file = others.get(fileKeyOf(content));
      const path = file?.path ?? freePath(list, nameInFile(content), used);
      used.add(path);
      others.delete(fileKeyOf(content));
      write(folder, path, withoutSecret(content, path, file?.content['url']));
    }
    return [...others.values()].map(({ path }) => path);
  });
}

function write(folder: string, path: string, content: Content): readonly string[] {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), `${JSON.stringify(content, null, 2)}\n`);
  return [];
}

function fileKeyOf(content: Content): string {
  return JSON.stringify([nameInFile(content), content['scopes']]);
}

function nameInFile({ name, description, url }: Content): string {
  const named = [name, description, url].find((one) => typeof one === 'string') ?? '';
  return named === url ? named.replace(/[?#].*|\$\{.*/s, '') : named;
}

function freePath(list: string, name: string, used: ReadonlySet<string>): string {
  const letters = name.normalize('NFKD').toLowerCase().replaceAll(/\p{M}/gu, '');
  const words = (letters.match(/[\p{L}\p{N}]+/gu) ?? ['unnamed']).join('-');
  const base = `${list}/${Array.from(words).slice(0, 60).join('')}`;
  for (let number = 1; ; number++) {
    const path = `${base}${number === 1 ? '' : `-${number}`}.json`;
    if (!used.has(path)) return path;
  }
}

/** What follows the `?` of a URL may be a secret: it stands in the environment, as what the file had there before does. */
function withoutSecret({ url, ...content }: Content, path: string, before: unknown): Content {
  if (typeof url !== 'string') return content;
  const words = (path.match(/\w+/g) ?? []).slice(1, -1);
  const variable = [...words, 'query'].join('_').toUpperCase();
  const isKept = typeof before === 'string' && before.includes('${');
  return { url: isKept ? before : url.replace(/[?#].*/s, `\${${variable}}`), ...content };
}
