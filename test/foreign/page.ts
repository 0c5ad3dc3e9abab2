import { readFileSync } from 'node:fs';

/** The one block of this language on the page about foreign readers, with the test's addresses and names in it. */
export function codeOnPage(language: 'python' | 'sql', replacements: Readonly<Record<string, string>>): string {
  const page = readFileSync('docs/foreign-readers.md', 'utf8');
  const [block, another] = page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'));
  if (block?.[1] === undefined || another !== undefined) throw new Error(`the page has not one block of ${language}`);
  return Object.entries(replacements).reduce((code, [theirs, ours]) => {
    if (!code.includes(theirs)) throw new Error(`the page does not say ${theirs}`);
    return code.replaceAll(theirs, ours);
  }, block[1]);
}
