import { describe, expect, test } from 'vitest';
import type { CsvOptions } from '../../../services/operations/import/csv-columns.ts';
import type { ImportOptions } from '../../../services/operations/import/import-options.ts';
import { readAll } from '../../support/service/import-records.ts';

const TRACK = { type: 'track' } as const;

type Map = ImportOptions['map'];

async function rows(content: string, csv: Partial<CsvOptions> = {}, map: Map = {}) {
  return readAll(content, { ...TRACK, format: 'csv', ...csv, map });
}

async function propertiesOf(content: string, csv: Partial<CsvOptions> = {}): Promise<unknown[]> {
  return (await rows(content, csv)).map(({ draft }) => (draft?.type === 'track' ? draft.properties : undefined));
}

async function problemsOf(content: string): Promise<unknown[]> {
  return (await rows(content)).map(({ line, problems }) => [line, problems?.map(({ path }) => path)]);
}

function refusal(header: string, csv: Partial<CsvOptions> = {}, map: Map = {}): Promise<unknown> {
  return rows(`${header}\n`, csv, map).then(
    () => 'taken',
    (error: { code: string }) => error.code,
  );
}

describe('a row', () => {
  test('fills the members of its call, and what has no name of ours becomes a property or a trait', async () => {
    const lines = await readAll(
      'type,user_id,event,timestamp,message_id,plan\n' +
        'track,ada,Paid,2026-01-02T03:04:05Z,m-1,pro\n' +
        'identify,ada,,2026-01-02,m-2,free\n',
    );

    expect(lines.map(({ draft }) => draft)).toEqual([
      expect.objectContaining({
        type: 'track',
        userId: 'ada',
        event: 'Paid',
        messageId: 'm-1',
        properties: '{"plan":"pro"}',
      }),
      expect.objectContaining({ type: 'identify', userId: 'ada', messageId: 'm-2', traits: '{"plan":"free"}' }),
    ]);
  });

  test('a row may have quotes, delimiters and line breaks within quotes', async () => {
    const content = 'user_id,event,note\r\nada,Paid,"say ""hi"", then\r\n\nleave"\r\nbob,Paid,"a,b"\r\n';

    expect(await propertiesOf(content)).toEqual(['{"note":"say \\"hi\\", then\\r\\n\\nleave"}', '{"note":"a,b"}']);
    expect((await rows(content)).map(({ line }) => line)).toEqual([2, 5]);
  });

  test('a file may start with a byte order mark, and end without a line feed', async () => {
    expect(await propertiesOf('\uFEFFuser_id,event,a\nada,Paid,1')).toEqual(['{"a":"1"}']);
  });

  test('an empty cell sets no property', async () => {
    expect(await propertiesOf('user_id,event,a,b\nada,Paid,,""\n')).toEqual(['{}']);
  });

  test('cells are text, whatever they look like, unless types are requested', async () => {
    const content = 'user_id,event,a,b,c,d,e\nada,Paid,1,1.50,true,007,null\n';

    expect(await propertiesOf(content)).toEqual(['{"a":"1","b":"1.50","c":"true","d":"007","e":"null"}']);
    expect(await propertiesOf(content, { types: true })).toEqual(['{"a":1,"b":1.5,"c":true,"d":"007","e":"null"}']);
  });

  test('a column stays text beside numbers where somebody says so, and one that is not there is refused', async () => {
    const content = 'user_id,event,amount,zip\nada,Paid,12,80331\n';

    expect(await propertiesOf(content, { types: true, text_columns: ['zip'] })).toEqual([
      '{"amount":12,"zip":"80331"}',
    ]);
    await expect(rows(content, { types: true, text_columns: ['zap'] })).rejects.toThrow('there is no column "zap"');
  });

  test('a column that is declared as JSON is read as JSON, its digits unchanged', async () => {
    const content = 'user_id,event,a,b\nada,Paid,"{""n"":9007199254740993}",null\nada,Paid,{,1\n';

    const lines = await rows(content, { json_columns: ['a', 'b'] });

    expect(lines[0]?.draft).toMatchObject({ properties: '{"a":{"n":9007199254740993},"b":null}' });
    expect(lines[1]?.problems).toEqual([{ path: '/properties/a', message: 'is not JSON' }]);
  });

  test('dots after traits and properties nest, and no others do', async () => {
    const content = 'user_id,event,properties.cart.total,properties.cart.size,a.b\nada,Paid,5,2,x\n';

    expect(await propertiesOf(content)).toEqual(['{"cart":{"total":"5","size":"2"},"a.b":"x"}']);
  });

  test('one column may have all properties', async () => {
    expect(await propertiesOf('user_id,event,properties\nada,Paid,"{""a"":1}"\n')).toEqual(['{"a":1}']);
  });

  test('a column may have another name, and the file another delimiter', async () => {
    const map = { Customer: 'user_id', What: 'event' };

    const [line] = await rows('Customer;What;note\nada;Paid;a,b\n', { delimiter: ';' }, map);

    expect(line?.draft).toMatchObject({ userId: 'ada', event: 'Paid', properties: '{"note":"a,b"}' });
  });

  test('keys with a meaning in JavaScript are kept', async () => {
    expect(await propertiesOf('user_id,event,__proto__,constructor\nada,Paid,a,b\n')).toEqual([
      '{"__proto__":"a","constructor":"b"}',
    ]);
  });
});

describe('a row is refused, and those around it are not, where it', () => {
  test('a row with fewer or more fields than the header is refused, its neighbors are not', async () => {
    expect(await problemsOf('user_id,event\nada\nada,Paid\nada,Paid,x\n')).toEqual([
      [2, ['']],
      [3, undefined],
      [4, ['']],
    ]);
  });

  test('a row that /v1/track would refuse is refused, its neighbors are not', async () => {
    expect(await problemsOf('user_id,event,timestamp\n,Paid,2026-13-01\nada,,\nada,Paid,\n')).toEqual([
      [2, ['/user_id', '/timestamp']],
      [3, ['/event']],
      [4, undefined],
    ]);
  });

  test('a row with a quote within a field, or with text after a closing quote, is refused, its neighbors are not', async () => {
    expect(await problemsOf('user_id,event\nada,5" disk\nbob,Paid\nada,"x"y\nbob,Paid\n')).toEqual([
      [2, ['']],
      [3, undefined],
      [4, ['']],
      [5, undefined],
    ]);
  });

  test('a row with a quote that is never closed before the end of the file is refused, its neighbors are not', async () => {
    expect(await problemsOf('user_id,event\nbob,Paid\nada,"Paid\nbob,Paid\nbob,Left\n')).toEqual([
      [2, undefined],
      [3, ['']],
      [4, undefined],
      [5, undefined],
    ]);
  });

  test('a row with a quote that is not closed within a megabyte is refused, its neighbors are not', async () => {
    const many = 'bob,Paid\n'.repeat(150_000);

    const found = await rows(`user_id,event\nada,"Paid\n${many}`);

    expect(found).toHaveLength(150_001);
    expect(found.filter(({ problems }) => problems !== undefined).map(({ line }) => line)).toEqual([2]);
  });
});

describe('lines that end in CR alone', () => {
  const content = 'user_id,event,a\rada,Paid,1\rbob,Paid,2\r';

  test.each([
    ['a few', content, 65_536],
    ['as many as make the one line too long', content + 'eve,Paid,3\r'.repeat(5_000), 65_536],
    ['read in small pieces', content, 3],
  ])(
    'lines that end in CR alone are refused, and the error names a command that converts them: %s',
    async (_, text, chunkBytes) => {
      const reading = readAll(text, { ...TRACK, format: 'csv' }, chunkBytes);

      await expect(reading).rejects.toMatchObject({
        code: 'COMMAND_INVALID',
        message: expect.stringMatching(/CR alone.*tr /),
      });
    },
  );

  test('a CR within the quotes of a column name is no line ending', async () => {
    expect(await propertiesOf('user_id,event,"a\r""b"\r\nada,Paid,1\r\n')).toEqual(['{"a\\r\\"b":"1"}']);
  });
});

describe('a header is refused where', () => {
  test.each([
    ['a name is there twice', 'user_id,event,a,a'],
    ['a name is empty', 'user_id,,a'],
    ['a column is within another', 'user_id,properties.a,properties.a.b'],
    ['a property stands beside all of them', 'user_id,properties,plan'],
    ['a bare column is a dotted one too', 'user_id,plan,traits.plan'],
  ])('%s', async (_why, header) => {
    expect(await refusal(header)).toBe('COMMAND_INVALID');
  });

  test('a column that was named is not there', async () => {
    expect(await refusal('user_id,event', { json_columns: ['b'] })).toBe('COMMAND_INVALID');
    expect(await refusal('user_id,event', {}, { b: 'event' })).toBe('COMMAND_INVALID');
  });

  test('two columns that differ by white space alone', async () => {
    expect(await refusal('user_id,event, a,a ')).toBe('COMMAND_INVALID');
  });
});
