import type Koa from 'koa';
import type { Call } from './call.ts';
import type { Refusal } from './problems.ts';
import type { Answer, Route } from './route.ts';

/** What a request's middleware share. */
export interface State {
  call: Call<Route>;
  /** What to answer; undefined until known; it stays so if the client disconnects. */
  outcome: Answer | Refusal | undefined;
}

export type Context = Koa.ParameterizedContext<State, object>;
export type Next = () => Promise<void>;
export type Step = (context: Context, next: Next) => Promise<void> | undefined;

export function routeOf({ call }: State): Route {
  if (call.route === undefined) throw new Error('no route has been found yet');
  return call.route;
}

export function refuse(state: State, refusal: Refusal): undefined {
  state.outcome = refusal;
  return undefined;
}
