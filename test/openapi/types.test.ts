import { describe, expect, expectTypeOf, test } from 'vitest';
import {
  type Answer,
  type Body,
  operation,
  type OperationName,
  type Query,
  type Target,
} from '../../schemas/operations.ts';

// The compiler says whether these hold: `npm run types`.
describe('the types of operations', () => {
  test('only a method and a path of the document name an operation', () => {
    expectTypeOf<'GET /v1/users'>().toExtend<OperationName>();
    expectTypeOf<'GET /v1/user'>().not.toExtend<OperationName>();
    expectTypeOf<'DELETE /v1/users'>().not.toExtend<OperationName>();
  });

  test('a parameter that the operation does not have is an error of types', () => {
    expectTypeOf<{ prefix: string; limit: string }>().toExtend<Query<'GET /v1/users'>>();
    // @ts-expect-error It is called `prefix`.
    const misspelt: Query<'GET /v1/users'> = { prefx: 'a' };
    // @ts-expect-error It is one of three.
    const other: Query<'GET /v1/events/live'> = { type: 'page' };
    // @ts-expect-error The path has a parameter.
    const without: Target<'GET /v1/users/{user_id}'> = {};

    expect([misspelt, other, without]).toHaveLength(3);
  });

  test('a member that a body or an answer does not have is an error of types', () => {
    const body: Body<'POST /v1/admin/projects'> = { name: 'Shop' };
    // @ts-expect-error It is called `name`.
    const misspelt: Body<'POST /v1/admin/projects'> = { title: 'Shop' };
    type Page = Answer<'GET /v1/users'>;
    expectTypeOf<Page['users'][number]['last_seen']>().toEqualTypeOf<string>();
    expectTypeOf<Page>().not.toHaveProperty('members');

    expect([body, misspelt]).toHaveLength(2);
  });
});

describe('the request to an operation', () => {
  test('the parameters of a path are percent-encoded in their places', () => {
    const path = { user_id: 'a/b c', name: 'plan' };

    expect(operation('GET /v1/users/{user_id}/traits/{name}/history', { path })).toEqual({
      method: 'GET',
      path: '/v1/users/a%2Fb%20c/traits/plan/history',
    });
  });

  test('the request leaves out parameters that are undefined', () => {
    expect(operation('GET /v1/users', { query: { prefix: 'a b', cursor: undefined, limit: 5 } })).toEqual({
      method: 'GET',
      path: '/v1/users?prefix=a+b&limit=5',
    });
  });

  test('a body is sent as its JSON, and a text or bytes as they are', () => {
    const path = '/v1/audiences/preview';
    const bytes = new Uint8Array(3);

    expect(operation('POST /v1/admin/keys', { body: { name: undefined } })).toMatchObject({ body: '{}' });
    expect(operation('POST /v1/audiences/preview', { body: '{"definition":1.0}' })).toEqual({
      method: 'POST',
      path,
      body: '{"definition":1.0}',
    });
    expect(operation('POST /v1/admin/imports/files', { body: bytes }).body).toBe(bytes);
  });
});
