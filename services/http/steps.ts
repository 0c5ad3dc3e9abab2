import type { Call } from './call.ts';
import type { Refusal } from './problems.ts';
import type { Answer, Route } from './route.ts';

/** What the steps of a request share. */
export interface State {
  call: Call<Route>;
  /** What to answer; undefined until known; it stays so if the client disconnects. */
  outcome: Answer | Refusal | undefined;
}

/** What answers a request, from one step on. It resolves once the outcome is known. */
export type Work = (state: State) => Promise<void> | undefined;

/** Puts itself before the work that follows: a step that refuses does not go on to it. */
export type Step = (next: Work) => Work;

/** All steps before the last work, in this order. Done once, so that a request passes them as plain calls. */
export function composed(steps: readonly Step[], last: Work): Work {
  return steps.reduceRight((next, step) => step(next), last);
}

export function routeOf({ call }: State): Route {
  if (call.route === undefined) throw new Error('no route has been found yet');
  return call.route;
}

export function refuse(state: State, refusal: Refusal): undefined {
  state.outcome = refusal;
  return undefined;
}
