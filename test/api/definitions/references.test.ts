import { expect, test } from 'vitest';
import { withOtherReferences } from '../../../services/api/definitions/references.ts';

const AUDIENCE_ID = 'aud_0123456789abcdefghij';
const NAME = 'On "pro" {50 %}';

test('the references of an object lead to a name and back, wherever they stand', () => {
  const members = {
    definition: { all: [{ audience: AUDIENCE_ID }, { not: { audience: AUDIENCE_ID } }, { event: 'audience' }] },
    audiences: [AUDIENCE_ID],
    address: `audiences/${AUDIENCE_ID}?compare=%22${AUDIENCE_ID}%22&event=audience`,
  };

  const named = withOtherReferences(members, (id) => (id === AUDIENCE_ID ? NAME : undefined));
  const back = withOtherReferences(named, (name) => (name === NAME ? AUDIENCE_ID : undefined));

  expect(JSON.stringify(named)).not.toContain(AUDIENCE_ID);
  expect(named).toMatchObject({
    audiences: [NAME],
    address: expect.stringMatching(/^audiences\/\{audience:On[^\s{}]+\}\?/) as string,
  });
  expect(back).toEqual(members);
});

test('a page about an audience that is gone keeps its id, and a list of audiences leaves it out', () => {
  const gone = withOtherReferences({ audiences: [AUDIENCE_ID], address: `audiences/${AUDIENCE_ID}` }, () => undefined);

  expect(gone).toEqual({ audiences: [], address: `audiences/${AUDIENCE_ID}` });
});

test('each reference is told with its kind and the pointer to it', () => {
  const paths: string[] = [];

  withOtherReferences(
    {
      definition: { not: { audience: 'A' } },
      audiences: ['B'],
      endpoints: ['E'],
      question: { audience: 'F' },
      address: '{audience:C%20d}',
    },
    (name, kind, path) => {
      paths.push(`${kind} ${path} ${name}`);
      return name;
    },
  );

  expect(paths).toEqual([
    'audience /definition/not/audience A',
    'audience /question/audience F',
    'audience /audiences/0 B',
    'endpoint /endpoints/0 E',
    'audience /address C d',
  ]);
});
