import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** What comments, pages and texts do not have: a genitive first, a relative clause without a head, a number without a name. */
const PATTERNS: Readonly<Record<string, RegExp>> = {
  of: /\bOf (?!course\b)/g,
  who: /(?:^|\/\*\* |\/\/ |[.:|] |- |")Who (?=[a-z])(?![^.?!]*\?)/gm,
  so: /\bso (?:many|long|much)\b/gi,
};

const TREES: Readonly<Record<string, string>> = {
  services: 'services/**/*.ts',
  schemas: 'schemas/{*.json,http/*.json,openapi/*.json}',
  console: 'console/src/**/*.{ts,tsx}',
  test: 'test/**/*.ts',
  docs: '{README.md,SECURITY.md,docs/**/*.md,deploy/**/*.md}',
};

/** The text with its sentences on one line, as far as a comment or a paragraph reaches. */
function sentencesOf(file: string): string {
  const text = readFileSync(file, 'utf8');
  if (file.endsWith('.md')) return text.replaceAll(/(?<!\n)\n[ ]*(?![\n #|-])/g, ' ');
  return text.replaceAll(/\n[ \t]*(?:\*(?!\/)|\/\/)[ \t]*(?=\S)/g, ' ');
}

function found(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(({ index }) => text.slice(Math.max(0, index - 20), index + 60));
}

test.each(Object.entries(TREES))(
  'the sentences of %s begin with their subject, and numbers in them have names',
  (_, glob) => {
    const files = globSync(glob).filter((file) => !file.includes('node_modules'));
    const sentences = files.flatMap((file) =>
      Object.values(PATTERNS).flatMap((pattern) => found(sentencesOf(file), pattern).map((one) => `${file}: ${one}`)),
    );

    expect(files.length).toBeGreaterThan(10);
    expect(sentences).toEqual([]);
  },
);

// The bar keeps this file from finding itself.
test.each([
  ['of', '/** O|f a list, the members. */', '// Of course it is.'],
  ['who', '// Wh|o waits is served.', '// Who waits? Nobody.'],
  ['so', 'At most s|o many.', 'It is so small that many fit.'],
])('the pattern %s finds a sentence like that, and no other', (name, wrong, right) => {
  const pattern = PATTERNS[name]!;

  expect([found(wrong.replace('|', ''), pattern).length, found(right, pattern).length]).toEqual([1, 0]);
});
