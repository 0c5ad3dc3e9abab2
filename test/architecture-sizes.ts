import { basename, dirname } from 'node:path';
import type { Tree } from './architecture-rules.ts';
import { REPLACED_NAMES, REPLACED_PHRASES } from './architecture-tables.ts';

/**
 * The budgets of services (`architecture-budgets.json`), console and test (the files beside it): no figure may rise, and one
 * that could be lower is lowered.
 */
export interface Budgets {
  readonly filesInFolder: number;
  readonly importsOfFile: number;
  readonly linesOfFile: number;
  /** The files in which the same name is declared at top level. */
  readonly filesOfName: number;
  /** Files of 30 lines or less that one file imports and that stay files all the same. Left out: any may. */
  readonly smallFiles?: readonly string[];
  readonly phrases: Readonly<Record<string, number>>;
  readonly names: Readonly<Record<string, number>>;
}

type Size = 'filesInFolder' | 'importsOfFile' | 'linesOfFile' | 'filesOfName';

const TOP_LEVEL = /^(?:export )?(?:async )?(?:function\*?|class|const|let|interface|type) ([\w$]+)/gm;
const DECLARED = /\b(?:function\*?|class|const|let|interface|type) ([\w$]+)/g;

/** Everything over its budget. */
export function overBudget(tree: Tree, budgets: Budgets): string[] {
  const { smallFiles: known } = budgets;
  const small = known === undefined ? [] : smallFiles(tree).filter((file) => !known.includes(file));
  return [
    ...Object.entries(sizesOf(tree)).flatMap(([kind, sizes]) =>
      [...sizes].filter(([, size]) => size > budgets[kind as Size]).map(([name, size]) => `${kind}: ${name} ${size}`),
    ),
    ...small.map((file) => `${file} belongs into the one file that imports it`),
    ...compared(phrasesIn(tree), budgets.phrases, (found, budget) => found > budget),
    ...compared(namesIn(tree), budgets.names, (found, budget) => found > budget),
  ];
}

/** Every budget that is higher than what it bounds. */
export function looseBudgets(tree: Tree, budgets: Budgets): string[] {
  const small = smallFiles(tree);
  const loose = Object.entries(lowestBudgets(tree)).filter(([kind, lowest]) => budgets[kind as Size] > lowest);
  return [
    ...loose.map(([kind, lowest]) => `${kind}: ${lowest}, the budget is ${budgets[kind as Size]}`),
    ...(budgets.smallFiles ?? [])
      .filter((file) => !small.includes(file))
      .map((file) => `${file} is no small file any more`),
    ...compared(phrasesIn(tree), budgets.phrases, (found, budget) => found < budget),
    ...compared(namesIn(tree), budgets.names, (found, budget) => found < budget),
  ];
}

/** The budgets lowered to what the tree needs. */
export function lowered(tree: Tree, budgets: Budgets): Budgets {
  const small = smallFiles(tree);
  const lower = (found: Readonly<Record<string, number>>, budget: Readonly<Record<string, number>>) =>
    Object.fromEntries(
      Object.entries(found)
        .map(([word, count]) => [word, Math.min(count, budget[word] ?? 0)] as const)
        .filter(([, count]) => count > 0),
    );
  const sizes = Object.entries(lowestBudgets(tree)).map(([kind, most]) => [
    kind,
    Math.min(most, budgets[kind as Size]),
  ]);
  return {
    ...budgets,
    ...(Object.fromEntries(sizes) as Record<Size, number>),
    ...(budgets.smallFiles && { smallFiles: budgets.smallFiles.filter((file) => small.includes(file)) }),
    phrases: lower(phrasesIn(tree), budgets.phrases),
    names: lower(namesIn(tree), budgets.names),
  };
}

/** The size of a file stays free below its bound. */
function lowestBudgets(tree: Tree): Partial<Record<Size, number>> {
  const { linesOfFile: _, ...sizes } = sizesOf(tree);
  return Object.fromEntries(Object.entries(sizes).map(([kind, counts]) => [kind, Math.max(0, ...counts.values())]));
}

function sizesOf({ texts, imports }: Tree): Record<Size, Map<string, number>> {
  return {
    filesInFolder: countBy([...texts.keys()].map((file) => dirname(file))),
    importsOfFile: countBy(imports.map(({ from }) => from)),
    linesOfFile: new Map([...texts].map(([file, text]) => [file, text.split('\n').length - 1])),
    filesOfName: countBy([...texts.values()].flatMap((text) => [...new Set(declaredIn(text, TOP_LEVEL))])),
  };
}

function smallFiles({ texts, imports }: Tree): string[] {
  const importers = new Map<string, Set<string>>();
  for (const { from, to } of imports) importers.set(to, (importers.get(to) ?? new Set()).add(from));
  return [...texts]
    .filter(([file, text]) => text.split('\n').length <= 31 && importers.get(file)?.size === 1)
    .map(([file]) => file);
}

/** How often each phrase is in code, comments, messages and names of files. */
function phrasesIn({ texts }: Tree): Record<string, number> {
  const all = [...texts].map(([file, text]) => plainWords(`${file}\n${text}`)).join('\n');
  return Object.fromEntries(
    REPLACED_PHRASES.map((phrase) => [phrase, all.match(new RegExp(`\\b${phrase}\\b`, 'g'))?.length ?? 0]),
  );
}

/** How many declared names and names of files have each word. */
function namesIn({ texts }: Tree): Record<string, number> {
  const names = [...texts].flatMap(([file, text]) => [basename(file, '.ts'), ...declaredIn(text, DECLARED)]);
  const words = names.map((name) => plainWords(name).split(' '));
  return Object.fromEntries(REPLACED_NAMES.map((word) => [word, words.filter((parts) => parts.includes(word)).length]));
}

/** `holdThread`, `hold-thread`, `HOLD_THREAD` and a comment's "hold thread" over the end of a line are the same words. */
function plainWords(text: string): string {
  return text
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[\s_*/-]+/g, ' ')
    .toLowerCase();
}

function declaredIn(text: string, declaration: RegExp): string[] {
  return [...text.matchAll(declaration)].map(([, name]) => name ?? '');
}

function compared(
  found: Readonly<Record<string, number>>,
  budget: Readonly<Record<string, number>>,
  isWrong: (found: number, budget: number) => boolean,
): string[] {
  return [...new Set([...Object.keys(found), ...Object.keys(budget)])]
    .filter((word) => isWrong(found[word] ?? 0, budget[word] ?? 0))
    .map((word) => `"${word}": ${found[word] ?? 0}, the budget is ${budget[word] ?? 0}`);
}

function countBy(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}
