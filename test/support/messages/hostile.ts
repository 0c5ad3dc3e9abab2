/** What has meant something to some parser on the way: SQL, parameters, the names of subcolumns, JSON, regular expressions. */
export const HOSTILE = [
  "'",
  '"',
  '`',
  '\\',
  "\\'",
  "') OR 1=1 --",
  '; DROP TABLE track_rows',
  '/*',
  '{p0:String}',
  '{p1:Identifier}',
  '\\N',
  'NULL',
  '[]',
  "['a']",
  'a.b',
  'a%2Eb',
  '%',
  '^a',
  '^`a`',
  ':`Int64`',
  ':`Nope`',
  'x.:`String`',
  'size0',
  '\n\t\r',
  '\u0001',
  '\u007f',
  '\u2028',
  '😀',
  ' ',
  '.*(?',
  '$.a',
  '__proto__',
];

/**
 * What is asked of traits and of properties alike, by name, with every operator that takes text, and this text wherever a
 * caller writes: at the top, of a list, and of something nested.
 */
export function hostileMembers(text: string) {
  const tests = { is: text, in: [text, `${text}?`], contains: text, starts_with: text, gte: text, lte: text };
  return [
    { name: text, ...tests },
    { name: 'list', contains: text },
    { name: ['deep', text], ...tests },
  ];
}
