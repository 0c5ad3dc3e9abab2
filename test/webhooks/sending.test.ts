import { expect, test } from 'vitest';
import type { EndpointClaim } from '../../services/webhooks/endpoint-store.ts';
import { Turn, Sending } from '../../services/webhooks/sending.ts';

const { signal } = new AbortController();

/** A turn of an endpoint of this project. */
function turnOf(projectId: string): Turn {
  return new Turn({ endpoint: { projectId, failures: 0 }, secrets: [], token: '' } as unknown as EndpointClaim, signal);
}

/** How many turns each of these projects gets that wants any number of them and ends none, the first before the second. */
function sharesOf(projects: readonly string[]): readonly number[] {
  const underWay = new Sending();
  return projects.map((project) => {
    let own = 0;
    for (; !underWay.areAll && !underWay.fullProjects.includes(project); own++)
      underWay.begin(turnOf(project), () => new Promise(() => undefined));
    return own;
  });
}

test('a project has half of all turns at most, and others have half of what is left', () => {
  expect(sharesOf(['a', 'b', 'c', 'd', 'e', 'f', 'g'])).toEqual([16, 8, 4, 2, 1, 1, 0]);
});

test('a project has another turn once one of its own has ended, and whoever waits for it learns of that', async () => {
  const underWay = new Sending();
  const end = Promise.withResolvers<boolean>();
  underWay.begin(turnOf('a'), () => end.promise);
  for (let n = 1; n < 16; n++) underWay.begin(turnOf('a'), () => new Promise(() => undefined));
  const { freed, fullProjects } = underWay;

  end.resolve(false);
  await freed;

  expect([fullProjects, underWay.fullProjects, underWay.count]).toEqual([['a'], [], 15]);
});

test('a turn does not go on once its claim is lost, and its signal aborts', () => {
  const turn = turnOf('a');
  expect([turn.mayGoOn, turn.signal.aborted]).toEqual([true, false]);

  turn.endBecauseLost();

  expect([turn.mayGoOn, turn.signal.aborted]).toEqual([false, true]);
});
