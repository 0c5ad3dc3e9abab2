/** `docs/sdks.md`: its table is made from outcomes, its code is what the programs run. */
import { readFile, writeFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';
import type { Outcome } from './outcomes.ts';
import type { Sdk } from './sdks.ts';

const PAGE = 'docs/sdks.md';
const START = '<!-- outcomes of test/sdks -->';
const END = '<!-- end of the outcomes -->';
const HEAD = [
  'SDK',
  'Version',
  'What comes of it',
  'Ten seconds without the service',
  'It does not have',
  'New anonymous id',
];

/** The cells of a row of the table. */
export type Row = readonly string[];

export function rowOf(sdk: Sdk, outcomes: readonly Outcome[]): Row {
  const lacks = [...(sdk.lacks ?? []).map((name) => `\`${name}\``), ...(sdk.omitsNull ? ['null'] : [])];
  const cells = [`\`${sdk.name}\``, sdk.version, verdictOf(outcomes), outageOf(outcomes), lacks.join(', ')];
  return [...cells, sdk.newAnonymousId ?? 'keeps none'];
}

/** Each difference with the scenarios that it was seen in; without them where it was seen in all. */
export function verdictOf(outcomes: readonly Outcome[]): string {
  const judged = outcomes.filter(({ scenario }) => !['outage', 'restart'].includes(scenario));
  const seen = judged.flatMap(({ scenario, difference }) =>
    difference.split(', ').flatMap((text) => (text === '' ? [] : [{ scenario, text }])),
  );
  const parts = [...Map.groupBy(seen, ({ text }) => text)].map(([text, list]) =>
    list.length === judged.length ? text : `${text} (${list.map(({ scenario }) => scenario).join(', ')})`,
  );
  const ending = outcomes.filter(({ endsProcess }) => endsProcess).map(({ scenario }) => scenario);
  if (ending.length > 0) parts.push(`ends the process (${ending.join(', ')})`);
  return parts.length === 0 ? 'works' : parts.join('; ');
}

function outageOf(outcomes: readonly Outcome[]): string {
  const outage = outcomes.find(({ scenario }) => scenario === 'outage');
  if (outage === undefined || outage.outcome === 'refused') return '';
  // One that keeps trying has not given up: the next try of those for Java may be a minute later.
  const isLost = outage.difference.includes('message') && !outage.difference.includes('keeps trying');
  return isLost ? 'gives up' : 'sends again';
}

/** The rows of the page's table by the SDK's name. */
export async function rowsOnPage(): Promise<ReadonlyMap<string, Row>> {
  const { table } = partsOf(await readFile(PAGE, 'utf8'));
  const rows = table.split('\n').filter((line) => line.startsWith('| `'));
  return new Map(
    rows.map((line) => {
      const cells = line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim());
      return [(cells[0] ?? '').replaceAll('`', ''), cells];
    }),
  );
}

/** Those of SDKs that were not run are kept. */
export async function writeRows(sdks: readonly Sdk[], rows: ReadonlyMap<string, Row>): Promise<void> {
  const page = await readFile(PAGE, 'utf8');
  const { before, after } = partsOf(page);
  const old = await rowsOnPage();
  const lines = sdks.map(({ name }) => rows.get(name) ?? old.get(name)).filter((row) => row !== undefined);
  const table = [HEAD, HEAD.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
  const text = `${before}${START}\n\n${table}\n\n${END}${after}`;
  await writeFile(PAGE, await format(text, { ...(await resolveConfig(PAGE)), parser: 'markdown' }));
}

/** The lines of the first block of code under the heading of an SDK. */
export async function codeOnPage({ name }: Sdk): Promise<readonly string[]> {
  const [, section] = (await readFile(PAGE, 'utf8')).split(`\n### \`${name}\`\n`);
  const block = /^```\w+\n(.*?)^```$/ms.exec(section ?? '')?.[1];
  if (block === undefined) throw new Error(`${PAGE} has no code for ${name}`);
  return block
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function partsOf(page: string): { readonly before: string; readonly table: string; readonly after: string } {
  const [start, end] = [page.indexOf(START), page.indexOf(END)];
  if (start < 0 || end < start) throw new Error(`${PAGE} has no place for the table`);
  return { before: page.slice(0, start), table: page.slice(start, end), after: page.slice(end + END.length) };
}
