/** The last step of a request: its route answers, and what that changed is recorded. */
import type { Logger } from '../../runtime/logger.ts';
import type { SqlRepeatStore } from '../../stores/service-state/repeat-store.ts';
import type { Auditor } from '../auditor.ts';
import type { Refusal } from '../problems.ts';
import type { Answer } from '../route.ts';
import { refuse, routeOf, type State, type Work } from '../steps.ts';
import { Repeats } from './repeats.ts';

export interface HandleParts {
  /** Where requests with an Idempotency-Key are kept. */
  readonly repeats?: SqlRepeatStore | undefined;
  readonly logger: Logger;
}

/** What a repeat is compared by is not known before its handler has read all of it. */
const NOT_WITH_STREAMS: Refusal = {
  refused: 'invalid-parameter',
  detail: 'The upload of a file takes no Idempotency-Key: another file under the same key would not be noticed.',
};

export function handle({ repeats: store, logger }: HandleParts, auditor: Auditor | undefined): Work {
  const repeats = store && new Repeats({ store, logger });
  return (state) => {
    const { call } = state;
    const route = routeOf(state);
    const refusal = route.admitWhole?.(call);
    if (refusal !== undefined) return refuse(state, refusal);
    if (route.streamsBody === true && 'idempotency-key' in call.headers) return refuse(state, NOT_WITH_STREAMS);
    const key = repeats?.keyOf(call, route);
    if (repeats !== undefined && key !== undefined) return handleOnce(state, repeats, key, auditor);
    const outcome = route.handle(call);
    if (outcome instanceof Promise) return outcome.then((settled) => conclude(state, settled, auditor));
    return conclude(state, outcome, auditor);
  };
}

async function handleOnce(state: State, repeats: Repeats, key: string, auditor: Auditor | undefined): Promise<void> {
  state.outcome = await repeats.answer(state.call, key, async () => {
    const outcome = await routeOf(state).handle(state.call);
    await conclude(state, outcome, auditor);
    return outcome;
  });
}

function conclude(state: State, outcome: Answer | Refusal, auditor: Auditor | undefined): Promise<void> | undefined {
  state.outcome = outcome;
  if (!('audit' in outcome) || outcome.audit === undefined) return undefined;
  if (auditor === undefined) throw new Error('a change that no audit log is there for');
  return auditor.record(state.call, outcome.audit);
}
