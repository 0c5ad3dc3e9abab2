import { describe, expect, test } from 'vitest';
import { parseBody, splitObject, toJsonText } from '../../services/messages/json.ts';
import { pointerTo } from '../../services/messages/unacceptable.ts';
import { hasCode } from '../../services/runtime/errors.ts';

/** The text that comes out again. */
function through(text: string): string {
  const body = parseBody(text);
  if (!body.ok) throw new Error(JSON.stringify(body.problems));
  return toJsonText(body.value.exact);
}

/** `0{3}` stands for `000`. */
function writtenOut(abbreviated: string): string {
  return abbreviated.replaceAll(/(\d)\{(\d+)\}/g, (_match, digit: string, times) => digit.repeat(Number(times)));
}

function pathsOf(text: string): string[] {
  const body = parseBody(text);
  return body.ok ? [] : body.problems.map(({ path }) => path);
}

describe('a number keeps its digits', () => {
  test.each([
    '9007199254740993',
    '-9007199254740993',
    '0.1000000000000000055',
    '1e400',
    '-1.5E-400',
    '123456789012345678901234567890.123456789012345678901234567890',
    '18446744073709551615',
    '19.990000000000002',
    '1e-7',
    '7{1000}',
    '0.7{999}',
    '1e999',
    '1e-999',
  ])('%s', (abbreviated) => {
    const number = writtenOut(abbreviated);

    expect(through(`{"a":[${number}],"b":${number}}`)).toBe(`{"a":[${number}],"b":${number}}`);
    expect(through(number)).toBe(number);
  });

  test.each([
    ['1.10', '1.1'],
    ['-0', '0'],
    ['0e-99999', '0'],
    ['0e99999', '0'],
    ['1.0{5000}', '1'],
    ['10{2002}e-2000', '1e2'],
    ['0.0{1500}', '0'],
    ['1e0{2000}5', '100000'],
    ['0.0{1500}1e1500', '1e-1'],
    ['7.50e1', '75'],
  ])('%s comes back as %s, the same value', (number, expected) => {
    expect(through(`[${writtenOut(number)}]`)).toBe(`[${expected}]`);
  });

  test('beside others in one body, and in any whitespace', () => {
    expect(through('{"a" : \n 1e400 ,"b":\t9007199254740993,"c":[ 1 , 2.5]}')).toBe(
      '{"a":1e400,"b":9007199254740993,"c":[1,2.5]}',
    );
  });

  test('and text that only looks like one stays as it is', () => {
    const text = '{"a":"x:12345678901234567890","b":"[1e400","c":"\\",1e5"}';

    expect(through(text)).toBe(text);
  });

  test.each(['10{1000}', '1e1000', '1e-1000', '0.1{1000}', '1e999999999999', '-1e-999999999999'])(
    '%s takes more than 1,000 digits and is refused with its place',
    (abbreviated) => {
      const number = writtenOut(abbreviated);

      expect(pathsOf(`{"a":{"b/c":[1,${number}]}}`)).toEqual(['/a/b~1c/1']);
      expect(pathsOf(number)).toEqual(['']);
    },
  );

  test('a number that keeps its digits is validated as a number', () => {
    const body = parseBody('{"a":1e400,"b":9007199254740993}');

    expect(body.ok && body.value.plain).toEqual({ a: Infinity, b: 9007199254740992 });
  });
});

describe('what survives', () => {
  test.each([
    '{"__proto__":{"a":1},"constructor":{"prototype":2},"":3,"a.b":4,"a b":5,"a/b~c":6}',
    '{"__proto__":9007199254740993,"":1e400,"toString":{"__proto__":{"x":12345678901234567}}}',
    '{"emoji":"👩‍👩‍👧","rtl":"שלום","ctl":"\\n\\u0001"}',
    '[[],{},null,true,false,""]',
  ])('%s', (text) => {
    expect(through(text)).toBe(text);
  });

  test('an emoji written as escapes', () => {
    expect(through('{"\\ud83d\\ude00":"\\uD83D\\uDE00","b":"\\\\u0000"}')).toBe('{"😀":"😀","b":"\\\\u0000"}');
  });

  test('of a duplicate key, the last', () => {
    expect(through('{"a":1,"b":2,"a":3}')).toBe('{"a":3,"b":2}');
    expect(through('{"a":9007199254740993,"a":9007199254740995}')).toBe('{"a":9007199254740995}');
    expect(through('{"a":9007199254740993,"a":{"b":1e400}}')).toBe('{"a":{"b":1e400}}');
  });

  test('a depth of 64, and 65 is refused', () => {
    const at64 = '[1e400,'.repeat(64) + '"]["' + ']'.repeat(64);

    expect(through(at64)).toBe(at64);
    expect(pathsOf('{"a":'.repeat(65) + '1' + '}'.repeat(65))).toEqual(['/a'.repeat(64)]);
  });

  test('brackets behind a string that ends in a backslash are depth', () => {
    expect(parseBody(`["\\\\",${'['.repeat(64)}${']'.repeat(64)}]`).ok).toBe(false);
  });

  test('brackets within strings are no depth', () => {
    const text = `["${'['.repeat(100)}","\\"${'{'.repeat(100)}","\\\\",[1]]`;

    expect(through(text)).toBe(text);
  });
});

describe('what is refused', () => {
  test.each([
    ['{"a":["x\\u0000"]}', ['/a/0']],
    ['{"a":"\\ud800"}', ['/a']],
    ['{"a":"\\udc00\\ud800"}', ['/a']],
    ['{"a":"\ud800"}', ['/a']],
    ['"\\u0000"', ['']],
    ['{"a":{"x\\u0000":1}}', ['/a']],
    ['{"a":[{"\\uDFFF":1}]}', ['/a/0']],
    ['{"x\\u0000":"\\u0000"}', ['', '/x\uFFFD']],
    ['{"a":"\\u0000","b":1e5000,"c":"ok"}', ['/a', '/b']],
  ])('%s, naming the place', (text, paths) => {
    expect(pathsOf(text)).toEqual(paths);
  });

  test.each(['', ' ', '{', '{"a":}', "{'a':1}", '[1,]', 'NaN', '01', '{"a":"\u0000"}', '1e', '{} {}', '\uFEFF{}'])(
    '%j is no JSON',
    (text) => {
      expect(pathsOf(text)).toEqual(['']);
    },
  );

  test('half a million brackets, closed or not', () => {
    expect(parseBody('['.repeat(512_000)).ok).toBe(false);
    expect(parseBody('['.repeat(256_000) + ']'.repeat(256_000)).ok).toBe(false);
    expect(parseBody(`${'[1e400,'.repeat(60_000)}1${']'.repeat(60_000)}`).ok).toBe(false);
  });

  test('no more than a hundred problems are named', () => {
    expect(pathsOf(`[${Array(1000).fill('"\\u0000"').join(',')}]`)).toHaveLength(100);
  });
});

describe('splitObject', () => {
  test('splitObject gives each member its own text', () => {
    const members = splitObject('{"a":1e400,"b":{"c":[1,9007199254740993]},"__proto__":null,"":"ü","1":1.5}');

    expect(Object.fromEntries([...members].filter(([key]) => key !== '__proto__'))).toEqual({
      a: '1e400',
      b: '{"c":[1,9007199254740993]}',
      '': '"ü"',
      '1': '1.5',
    });
    expect(members.get('__proto__')).toBe('null');
  });

  test.each(['', '{', '[]', '1', 'null', '"a"', '1e400', '{"a":"\\u0000"}'])(
    '%s is not the JSON of an object',
    (text) => {
      expect(codeThrown(() => splitObject(text))).toBe(true);
    },
  );
});

test('a pointer escapes what it must', () => {
  expect(pointerTo(['a/b', 'c~d', '', 3])).toBe('/a~1b/c~0d//3');
});

function codeThrown(run: () => unknown): boolean {
  try {
    run();
  } catch (error) {
    return hasCode(error, 'MESSAGE_UNDECODABLE');
  }
  return false;
}
