import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';

/** A README is what somebody reads in one go. */
const README_MAX_BYTES = 9_000;

const pages = ['README.md', 'CHANGELOG.md', 'SECURITY.md', ...globSync(['docs/**/*.md', 'deploy/**/*.md'])].sort();
const texts = new Map(pages.map((page) => [page, withoutCode(readFileSync(page, 'utf8'))]));

/** A link from one page to a file or a heading of ours. */
interface Link {
  readonly page: string;
  readonly target: string;
}

const links = pages.flatMap(linksOf);

/** Blocks of code hold brackets and `#` that are neither links nor headings. */
function withoutCode(text: string): string {
  return text.replaceAll(/^ *```[^]*?^ *```/gm, '');
}

function linksOf(page: string): Link[] {
  const found = [...(texts.get(page) ?? '').matchAll(/\]\(([^()\s]+)\)/g)].map(([, target = '']) => target);
  return found.filter((target) => !/^[a-z]+:/.test(target)).map((target) => ({ page, target }));
}

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(page: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of (texts.get(page) ?? '').matchAll(/^#{1,6} (.+)$/gm)) {
    const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = plain.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-');
    let name = anchor;
    for (let copy = 1; anchors.has(name); copy++) name = `${anchor}-${copy}`;
    anchors.add(name);
  }
  return anchors;
}

/** What is wrong with a link; undefined where it leads somewhere. */
function faultOf({ page, target }: Link): string | undefined {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? page : normalize(join(dirname(page), path)).replace(/\/$/, '');
  if (!existsSync(file)) return `${page} → ${target}: there is no ${file}`;
  if (anchor === undefined) return undefined;
  if (!texts.has(file)) return `${page} → ${target}: ${file} is not a page that is looked at`;
  return anchorsOf(file).has(anchor) ? undefined : `${page} → ${target}: ${file} has no such heading`;
}

describe('the documentation', () => {
  test('this test reads the documentation, with its links to files and to headings', () => {
    expect(pages.length).toBeGreaterThan(30);
    expect(links.length).toBeGreaterThan(100);
    expect(links.filter(({ target }) => target.includes('#')).length).toBeGreaterThan(20);
  });

  test('the documentation has no broken link', () => {
    expect(links.map(faultOf).filter((fault) => fault !== undefined)).toEqual([]);
  });

  test('the index of the documentation names every page', () => {
    const named = new Set(
      ['docs/README.md', 'docs/decisions/README.md'].flatMap((index) =>
        linksOf(index).map(({ target }) => normalize(join(dirname(index), target.split('#')[0] ?? ''))),
      ),
    );
    const unnamed = pages.filter((page) => page !== 'docs/README.md' && !named.has(page));

    expect(unnamed).toEqual([]);
  });

  test('no README has more than 9,000 bytes', () => {
    const readmes = pages.filter((page) => basename(page) === 'README.md');

    expect(readmes).toContain('README.md');
    expect(readmes.filter((page) => statSync(page).size > README_MAX_BYTES)).toEqual([]);
  });
});
