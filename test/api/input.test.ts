import { describe, expect, test } from 'vitest';
import type { OperationName } from '../../schemas/operations.ts';
import { type Members, readBody, readInput } from '../../services/api/input.ts';
import { Document } from '../support/openapi/document.ts';

function parameters(name: OperationName, search: string, params: Record<string, string> = {}): unknown {
  const read = readInput(name, { params, query: new URLSearchParams(search) });
  return read.ok ? read.value : read.refusal.detail;
}

describe('the parameters of a request', () => {
  test('parameters have the types of the document, and its defaults', () => {
    expect(parameters('GET /v1/users/{user_id}/events', 'limit=007', { user_id: 'ada' })).toEqual({
      path: { user_id: 'ada' },
      query: { by: 'user_id', limit: 7 },
    });
    expect(parameters('GET /v1/receipts/{receipt}', 'wait=0.25', { receipt: 'r' })).toMatchObject({
      query: { wait: 0.25 },
    });
  });

  test.each([
    'limit=1e1',
    'limit=%201',
    'limit=1.0',
    'limit=0x1',
    'limit=-1',
    'limit=',
    'limit=1001',
    'limit=99999999999999999999',
  ])('no number is read from %s', (search) => {
    expect(parameters('GET /v1/refusals', search)).toMatch(/^limit must be a whole number from 1 to 1000, not "?/);
  });

  test('every parameter that is wrong is named at once, with what is expected', () => {
    const search = `order=size&limit=0&prefix=${'é'.repeat(513)}&cursor=a&cursor=b`;

    expect(String(parameters('GET /v1/catalog/events/{name}/properties', search, { name: '\0' })).split('; ')).toEqual([
      'name must not hold a NUL character',
      'cursor may be given once only',
      'prefix must have 1 to 512 characters, not 513',
      'order must be one of count, name, not "size"',
      'limit must be a whole number from 1 to 1000, not 0',
    ]);
  });

  test('every operation of the document can be read', () => {
    for (const { method, path } of new Document().operations) {
      const name = `${method.toUpperCase()} ${path}` as OperationName;
      expect(() => readInput(name, { params: {}, query: new URLSearchParams() }), name).not.toThrow();
    }
  });
});

describe('the body of a request', () => {
  const problems = (body: unknown, also: (exact: Members) => readonly string[] = () => []): unknown => {
    const read = readBody('POST /v1/audiences/preview', { text: JSON.stringify(body) }, (exact) => {
      const wrong = also(exact).map((path) => ({ path, message: 'is wrong' }));
      return wrong.length === 0 ? { ok: true } : { ok: false, problems: wrong };
    });
    return read.ok ? read.value.body : read.refusal.errors;
  };

  test('a body has the defaults of the document', () => {
    expect(problems({ definition: {} })).toEqual({ definition: {}, sample: 10 });
  });

  test('what is wrong by the document and besides is named at once, each place once', () => {
    expect(problems({ sample: '3' }, () => ['/definition', '/definition/all'])).toEqual([
      { path: '/definition', message: 'is required' },
      { path: '/sample', message: 'must be a whole number from 0 to 1000, not "3"' },
      { path: '/definition/all', message: 'is wrong' },
    ]);
    expect(problems([])).toEqual([{ path: '', message: 'must be an object, not []' }]);
  });
});
