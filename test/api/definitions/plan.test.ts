import { expect, test } from 'vitest';
import type { Defined } from '../../../services/api/definitions/defined.ts';
import type { Kind } from '../../../services/api/definitions/kinds.ts';
import { planOf, type WantedObject } from '../../../services/api/definitions/plan.ts';

const HAS_ORDERED = { event: 'Order Completed' };

function audienceCalled(name: string, definition: unknown = HAS_ORDERED): Defined {
  return { kind: 'audience', name, id: `aud_${name}`, members: { name, definition } };
}

function endpointCalled(name: string, audiences: readonly string[] | null = null): Defined {
  return { kind: 'endpoint', name, id: `end_${name}`, members: { description: name, audiences } };
}

function keyCalled(name: string | null): Defined {
  return {
    kind: 'key',
    name: name === null ? 'key_null' : `${name} (read)`,
    id: `key_${name}`,
    members: { name, scopes: ['read'] },
  };
}

function wanted(...all: readonly Defined[]): readonly WantedObject[] {
  return all.map(({ kind, name, members }, at) => ({ kind, name, members, at: `/${kind}s/${at}` }));
}

function stepsOf(
  existing: readonly Defined[],
  all: readonly WantedObject[],
  pruned: readonly Kind[] = [],
): readonly string[] {
  const { steps, problems } = planOf(existing, all, pruned);
  expect(problems).toEqual([]);
  return steps.map(({ change, kind, name }) => `${change} ${kind} ${name}`);
}

const refersTo = (name: string): object => ({ all: [HAS_ORDERED, { not: { audience: name } }] });

test('audiences are made behind those to which they refer, and so are endpoints', () => {
  const all = wanted(
    endpointCalled('CRM', ['C']),
    audienceCalled('A', refersTo('B')),
    audienceCalled('B', refersTo('C')),
    audienceCalled('C'),
  );

  expect(stepsOf([], all)).toEqual([
    'create audience C',
    'create endpoint CRM',
    'create audience B',
    'create audience A',
  ]);
});

test('what is as it is wanted needs no step, in whatever order its members stand', () => {
  const definition = { event: 'Paid', where: [{ property: 'total', gt: JSON.rawJSON('12345678901234567890.5') }] };
  const turned = { where: [{ gt: JSON.rawJSON('12345678901234567890.5'), property: 'total' }], event: 'Paid' };

  expect(stepsOf([audienceCalled('A', definition)], wanted(audienceCalled('A', turned)))).toEqual([]);
});

test('a change names the members that differ, to the last digit', () => {
  const before = audienceCalled('A', { trait: 'n', gt: JSON.rawJSON('12345678901234567890') });
  const after = audienceCalled('A', { trait: 'n', gt: JSON.rawJSON('12345678901234567891') });

  const { steps } = planOf([before], wanted(after), []);

  expect(steps).toMatchObject([{ change: 'change', id: 'aud_A', members: ['definition'] }]);
});

test('what the definitions do not have is left, or deleted before that to which it refers', () => {
  const existing = [audienceCalled('A', refersTo('B')), audienceCalled('B'), endpointCalled('CRM', ['A'])];

  expect(stepsOf(existing, [])).toEqual(['left audience A', 'left audience B', 'left endpoint CRM']);
  expect(stepsOf(existing, [], ['audience', 'endpoint'])).toEqual([
    'delete endpoint CRM',
    'delete audience A',
    'delete audience B',
  ]);
  expect(stepsOf(existing, [], ['audience'])).toEqual(['delete audience A', 'delete audience B', 'left endpoint CRM']);
});

test('a key without a name is left, whatever is pruned', () => {
  expect(stepsOf([keyCalled(null), keyCalled('Shop')], [], ['key'])).toEqual([
    'delete key Shop (read)',
    'left key key_null',
  ]);
});

test('a reference to nothing is a problem in its place, and one to what is left or made is not', () => {
  const all = wanted(audienceCalled('A', refersTo('B')), endpointCalled('CRM', ['A', 'C', 'B']));

  expect(planOf([audienceCalled('B')], all, []).problems).toEqual([
    { path: '/endpoints/1/audiences/1', message: 'names no audience: "C"' },
  ]);
  expect(planOf([audienceCalled('B')], all, ['audience']).problems).toEqual([
    { path: '/audiences/0/definition/all/1/not/audience', message: 'names no audience: "B"' },
    { path: '/endpoints/1/audiences/1', message: 'names no audience: "C"' },
    { path: '/endpoints/1/audiences/2', message: 'names no audience: "B"' },
  ]);
});

test('a circle is a problem of those in it, by whatever audience that was made by hand', () => {
  const all = wanted(audienceCalled('A', refersTo('B')), audienceCalled('D', refersTo('A')));

  const { problems } = planOf([audienceCalled('B', refersTo('A'))], all, []);

  expect(problems).toEqual([{ path: '/audiences/0/definition', message: 'refers to itself: A → B → A' }]);
});

test('an audience that refers to itself alone is a circle', () => {
  const { problems } = planOf([], wanted(audienceCalled('A', { audience: 'A' })), []);

  expect(problems).toMatchObject([{ message: 'refers to itself: A → A' }]);
});

test('a name that two definitions have is a problem, and so is that of two endpoints of the project', () => {
  const all = wanted(audienceCalled('A'), audienceCalled('A'), endpointCalled('CRM'));

  const { problems } = planOf([endpointCalled('CRM'), { ...endpointCalled('CRM'), id: 'end_2' }], all, []);

  expect(problems).toEqual([
    { path: '/audiences/1', message: 'is the second audience that is called A' },
    { path: '/endpoints/2', message: 'is called as two endpoints of the project are: CRM' },
  ]);
});

test('a chain of a thousand audiences is ordered without an end of the stack', () => {
  const chain = Array.from({ length: 1_000 }, (_, at) => audienceCalled(`A${at}`, { audience: `A${at + 1}` }));

  const { steps } = planOf([], wanted(...chain, audienceCalled('A1000')), []);

  expect(steps).toHaveLength(1_001);
});
