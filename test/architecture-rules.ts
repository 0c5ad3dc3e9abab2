import { basename, dirname } from 'node:path';
import { ADAPTERS, DRIVERS, MAY_IMPORT, REGISTRY, ROLES, SHARED } from './architecture-tables.ts';
import { importsOf, type Import } from './support/imports.ts';

/** The files below `services/` with what is in them. */
export interface Tree {
  readonly texts: ReadonlyMap<string, string>;
  readonly imports: readonly Import[];
}

/** What breaks a rule, a line each; none where the tree keeps it. */
export type Rule = (tree: Tree) => string[];

export function treeOf(texts: ReadonlyMap<string, string>): Tree {
  return { texts, imports: [...texts].flatMap(([file, text]) => importsOf(file, text)) };
}

export const importsAreFound: Rule = ({ texts, imports }) =>
  show(imports, ({ to }) => to.startsWith('services/') && to.endsWith('.ts') && !texts.has(to));

export const foldersImportWhatTheyMay: Rule = ({ imports }) =>
  show(imports, ({ from, to }) => {
    const [own, other] = [folderOf(from), folderOf(to)];
    return own !== '' && other !== '' && own !== other && !MAY_IMPORT[own]?.includes(other);
  });

export const tableHasEveryFolder: Rule = ({ texts }) =>
  differences([...texts.keys()].map(folderOf), Object.keys(MAY_IMPORT));

/** Where a class is the only value that a file exports. `Sql` before the name says the store, and case is no matter. */
export const filesAreNamedAfterTheirClass: Rule = ({ texts }) =>
  [...texts].flatMap(([file, text]) => {
    const values = [...text.matchAll(/^export (?:abstract |async )?(class|function\*?|const|let) (\w+)/gm)];
    const [[, kind, name = ''] = []] = values;
    if (values.length !== 1 || kind !== 'class' || /^export (?:type )?[{*]/m.test(text)) return [];
    const own = basename(file, '.ts').replaceAll('-', '');
    return [name, name.replace(/^Sql/, '')].some((one) => one.toLowerCase() === own) ? [] : [`${file} exports ${name}`];
  });

/** A folder of the table may import only those above it. */
export function circlesOf(table: Readonly<Record<string, readonly string[]>>): string[] {
  const folders = Object.keys(table);
  return folders.flatMap((folder, index) =>
    (table[folder] ?? []).filter((other) => !folders.slice(0, index).includes(other)).map((to) => `${folder} → ${to}`),
  );
}

export const rolesAreApart: Rule = ({ imports }) =>
  show(imports, ({ from, to }) => {
    const [own, other] = [within(from, ROLES), within(to, ROLES)];
    if (own === undefined || other === undefined || own === other) return false;
    // Questions are asked over HTTP.
    return !(own === 'api' && other === 'questions');
  });

/** Every folder, and every folder beside a role, is a role or shared. Every role that can be started has a folder. */
export const rolesAreComplete: Rule = ({ texts }) => {
  const parents = new Set(ROLES.filter((role) => role.includes('/')).map(dirname));
  const folders = [...texts.keys()].map((file) => {
    const [first = '', second] = placeOf(file).split('/');
    return second !== undefined && parents.has(first) ? `${first}/${second}` : first;
  });
  const started = /ROLES = \[([^\]]*)\]/.exec(texts.get('services/app/role.ts') ?? '')?.[1] ?? '';
  const missing = (started.match(/[\w-]+/g) ?? []).filter(
    (name) => name !== 'all' && ![...ROLES, ...SHARED].some((folder) => basename(folder) === name),
  );
  return [
    ...differences(
      folders.filter((folder) => !parents.has(folder)),
      [...ROLES, ...SHARED],
    ),
    ...missing.map((name) => `the role ${name} has no folder`),
  ];
};

export const onlyOpenNamesAnAdapter: Rule = ({ imports }) =>
  show(imports, ({ from, to, kind }) => {
    const [own, adapter] = [within(from, ADAPTERS), within(to, ADAPTERS)];
    if (adapter === undefined || kind === 'type' || own === adapter) return false;
    // chDB speaks through the client of ClickHouse's own adapter.
    if (own === 'stores/analytics/chdb' && adapter === 'stores/analytics/clickhouse') return false;
    return !(from.endsWith('/open.ts') && kind === 'dynamic');
  });

export const driversStayInTheirAdapters: Rule = ({ imports }) =>
  show(imports, ({ from, to }) => DRIVERS[packageOf(to)]?.test(from) === false);

/** Apart from the registry, messages is a vocabulary: it does no I/O, and knows of runtime only the errors. */
export const messagesDoNoIo: Rule = ({ imports }) =>
  show(imports, ({ from, to }) => {
    if (folderOf(from) !== 'messages' || from.startsWith(REGISTRY)) return false;
    if (folderOf(to) === 'runtime') return to !== 'services/runtime/errors.ts';
    return /^node:(net|http|https|child_process|dgram|tls)/.test(to);
  });

export const fewReadTheConfiguration: Rule = ({ texts, imports }) => [
  ...show(
    imports,
    ({ from, to, kind }) =>
      to === 'services/runtime/config.ts' && kind !== 'type' && !/^services\/(main|app\/.*|cli\/.*)\.ts$/.test(from),
  ),
  ...[...texts]
    .filter(([file, text]) => /process\.env/.test(text) && !/^services\/(main|cli\/.*)\.ts$/.test(file))
    .map(([file]) => `${file} reads the environment`),
];

/** Imports of types and the programs of threads count. What leads from one circle to another is named too. */
export const filesHaveNoCircle: Rule = ({ texts, imports }) => {
  let left = imports.filter(({ to }) => texts.has(to));
  for (;;) {
    const importing = new Set(left.map(({ from }) => from));
    const imported = new Set(left.map(({ to }) => to));
    const kept = left.filter(({ from, to }) => imported.has(from) && importing.has(to));
    if (kept.length === left.length) return show(left, () => true);
    left = kept;
  }
};

/** What each folder of the console may import of the others: the frame is around the screens. */
const CONSOLE_MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  api: [],
  parts: ['api'],
  screens: ['api', 'parts'],
  frame: ['api', 'parts', 'screens'],
};

export const consoleImportsWhatItMay: Rule = ({ imports }) =>
  show(imports, ({ from, to }) => {
    const [own, other] = [from, to].map((path) => /^console\/src\/(\w+)\//.exec(path)?.[1] ?? '');
    const may = CONSOLE_MAY_IMPORT[own ?? ''];
    return may !== undefined && other !== '' && other !== own && !may.includes(other ?? '');
  });

export const noFileIsABarrel: Rule = ({ texts }) => [...texts.keys()].filter((file) => basename(file) === 'index.ts');

/** `stores/database` of a file below it, '' of `main.ts` and of packages. */
function placeOf(path: string): string {
  return path.startsWith('services/') ? dirname(path).slice('services/'.length) : '';
}

/** The first folder below `services/`. */
function folderOf(path: string): string {
  return placeOf(path).split('/')[0] ?? '';
}

/** The entry of `list` that the path lies in. */
function within(path: string, list: readonly string[]): string | undefined {
  return list.find((entry) => path.startsWith(`services/${entry}/`));
}

function packageOf(target: string): string {
  const parts = target.split('/');
  return parts.slice(0, target.startsWith('@') ? 2 : 1).join('/');
}

function show(imports: readonly Import[], isWrong: (one: Import) => boolean): string[] {
  return imports.filter(isWrong).map(({ from, to }) => `${from} → ${to}`);
}

function differences(folders: readonly string[], listed: readonly string[]): string[] {
  const there = new Set(folders.filter((folder) => folder !== ''));
  return [
    ...[...there].filter((folder) => !listed.includes(folder)).map((folder) => `${folder} is not listed`),
    ...listed.filter((folder) => !there.has(folder)).map((folder) => `${folder} does not exist`),
  ];
}
