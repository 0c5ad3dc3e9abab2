import { describe, expect, expectTypeOf, test } from 'vitest';
import {
  type Answer,
  type Body,
  methodAndPath,
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

test('the parameters of a path are percent-encoded in their places', () => {
  const path = { user_id: 'a/b c', name: 'plan' };

  expect(methodAndPath('GET /v1/users/{user_id}/traits/{name}/history', path)).toEqual({
    method: 'GET',
    path: '/v1/users/a%2Fb%20c/traits/plan/history',
  });
});
