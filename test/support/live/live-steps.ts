/** What may happen to live audiences, at random, and who is to be in them after each of it. */
import * as fc from 'fast-check';
import { expect } from 'vitest';
import type { Message, Micros } from '../../../services/messages/message.ts';
import type { Audience } from '../../../services/questions/definition/audience.ts';
import { readDefinition } from '../../../services/questions/definition/definition.ts';
import type { AnalyticsStore } from '../../../services/stores/analytics/analytics-store.ts';
import type { Database } from '../../../services/stores/database/database.ts';
import { namedBy, namings, rewritten } from '../messages/joined-history.ts';
import { audienceOf } from '../messages/naive-audience.ts';
import { exactly, historyAndDefinitions, messagesOf } from '../messages/random-history.ts';
import { propertyRun } from '../property-run.ts';
import { type Fault, LiveScene } from './live-scene.ts';

const HOUR = 3_600_000_000n;
const FAULTS: readonly Fault[] = [
  'changes are refused',
  'changes are written',
  'it is refused',
  'it counts',
  'members are refused',
];

type Step =
  | { readonly does: 'inserts'; readonly fault: Fault | undefined }
  | { readonly does: 'waits'; readonly micros: Micros }
  | { readonly does: 'restarts' | 'swaps' }
  | { readonly does: 'edits'; readonly audience: number; readonly definition: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('inserts' as const),
      fault: fc.option(fc.constantFrom(...FAULTS), { nil: undefined }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('waits' as const),
      micros: fc.constantFrom(HOUR / 2n, HOUR, 23n * HOUR, 30n * 24n * HOUR),
    }),
  },
  { weight: 1, arbitrary: fc.constantFrom({ does: 'restarts' as const }, { does: 'swaps' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('edits' as const), audience: fc.nat(3), definition: fc.nat(3) }),
  },
);

export interface TriedLive {
  readonly analytics: AnalyticsStore;
  readonly database: Database;
  readonly processes: 1 | 2;
  /** Whether messages come by anonymous ids too, which are joined. */
  readonly joinIds: boolean;
}

/** Has audiences follow random histories: after each step they have the members of the slow way. */
export function tryHistories({ analytics, database, processes, joinIds }: TriedLive, runs: number): Promise<void> {
  return fc.assert(
    fc.asyncProperty(
      historyAndDefinitions(4),
      fc.array(step, { minLength: 5, maxLength: 8, size: 'max' }),
      namings,
      async ([past, texts], steps, names) => {
        const messages = joinIds ? namedBy(messagesOf(past), names) : messagesOf(past);
        const scene = await LiveScene.begin(analytics, database, messages[0]!.projectId, joinIds);
        try {
          const size = Math.ceil(messages.length / (steps.length + 1));
          const next = () => messages.slice(scene.messages.length, scene.messages.length + size);
          await scene.insert(next());
          start(scene, processes);
          const audiences = await savedIn(scene, texts);
          await expectMembers(scene, audiences);
          for (const one of steps) {
            await take(one, { scene, processes }, audiences, next());
            await expectMembers(scene, audiences);
          }
        } finally {
          await scene.stop();
        }
      },
    ),
    propertyRun(runs),
  );
}

type Saved = Map<string, { readonly text: string; readonly definition: Audience }>;

interface Running {
  readonly scene: LiveScene;
  readonly processes: 1 | 2;
}

function start(scene: LiveScene, processes: 1 | 2): void {
  if (processes === 1) scene.start();
  else scene.startTwo();
}

async function take(
  step: Step,
  { scene, processes }: Running,
  audiences: Saved,
  messages: readonly Message[],
): Promise<void> {
  if (step.does === 'waits') scene.putForward(step.micros);
  if (step.does === 'restarts') await (processes === 1 ? restart(scene) : scene.overtake());
  if (step.does === 'inserts') {
    scene.fault = step.fault;
    await scene.insert(messages);
  }
  if (step.does === 'edits') {
    const [ids, definitions] = [[...audiences.keys()], [...audiences.values()]];
    const id = ids[step.audience % ids.length];
    const definition = definitions[step.definition % definitions.length];
    if (id === undefined || definition === undefined) return;
    await Promise.all([scene.edit(id, definition.text), scene.insert(messages)]);
    audiences.set(id, definition);
  }
  if (step.does === 'swaps') {
    await scene.swap(messages);
    // A tick that began before it may be later than it.
    await scene.upToNow([...audiences.keys()]);
  }
}

export async function savedIn(scene: LiveScene, texts: readonly string[]): Promise<Saved> {
  const saved: Saved = new Map();
  for (const [index, text] of texts.entries()) {
    // Those that refer to another audience would need it saved.
    const read = readDefinition(exactly(text), { timezone: 'UTC' });
    if (read.ok) saved.set((await scene.save(`audience ${index}`, text)).id, { text, definition: read.definition });
  }
  return saved;
}

async function restart(scene: LiveScene): Promise<void> {
  await scene.stop();
  await scene.foldEpochs();
  scene.start();
}

export async function expectMembers(scene: LiveScene, audiences: Saved): Promise<void> {
  for (const [id, { liveThrough, evaluation }] of await scene.upToNow([...audiences.keys()])) {
    const { text, definition } = audiences.get(id)!;
    const expected = audienceOf(definition, scene.joinsIds ? rewritten(scene.messages) : scene.messages, liveThrough);

    expect([text, await scene.folded(id, liveThrough)]).toEqual([text, expected]);
    expect([text, evaluation?.members]).toEqual([text, expected.size]);
    // A tick counts before its members are written.
    await expect.poll(() => scene.members(id)).toEqual(expected);
  }
}
