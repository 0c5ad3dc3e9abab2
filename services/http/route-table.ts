import { Router } from '@koa/router';
import type { ErrorStyle, Refusal } from './problems.ts';
import type { Route, RouteSet } from './route.ts';

export const NO_PATH: Refusal = {
  refused: 'not-found',
  detail: 'There is nothing at this path. GET / lists what there is.',
};

/** A route that matched, with its path's parameters as they were sent. */
export interface Match {
  readonly route: Route;
  readonly rawParams: Readonly<Record<string, string>> | undefined;
}

interface ExactPath {
  readonly byMethod: Map<string, Match>;
  allow: string;
}

/**
 * Every route of the process. Paths without parameters, the hot ones, are one look-up in a map; the others are matched
 * by @koa/router. Paths are compared as they were sent: case and a trailing slash count.
 */
export class RouteTable {
  readonly #exact = new Map<string, ExactPath>();
  readonly #router = new Router({ strict: true, sensitive: true });
  readonly #byName = new Map<string, Route>();
  /** Beginnings of paths, up to their first parameter. */
  readonly #beginnings = new Set<string>();
  readonly #twoStepBases: readonly string[];
  readonly #sets: readonly RouteSet[];

  constructor(sets: readonly RouteSet[]) {
    this.#sets = sets;
    this.#twoStepBases = sets.flatMap(({ twoStepBase }) => (twoStepBase === undefined ? [] : [`${twoStepBase}/`]));
    for (const route of sets.flatMap(({ routes }) => routes)) this.#add(route);
  }

  /** The same without the routes that need this scope: a path that has no others is one that is not there. */
  without(scope: Route['scope']): RouteTable {
    return new RouteTable(
      this.#sets.map((set) => ({ ...set, routes: set.routes.filter((route) => route.scope !== scope) })),
    );
  }

  /** The route, or the 404 or 405 to answer. HEAD goes where GET goes. */
  find(method: string, path: string): Match | Refusal {
    const exact = this.#exact.get(path);
    if (exact === undefined) return this.#findPattern(method, path);
    return exact.byMethod.get(method === 'HEAD' ? 'GET' : method) ?? wrongMethod(exact.allow);
  }

  /** How refusals of this path are worded, whether or not it exists. */
  styleOf(path: string): ErrorStyle {
    return this.#twoStepBases.some((base) => path.startsWith(base)) ? 'two-step' : 'problem';
  }

  /** What can be shown of a path that is not there: to its first odd part. What follows may name a person or hold a key. */
  knownPart(path: string): string {
    const odd = beginningsOf(path).find((beginning) => !this.#beginnings.has(beginning)) ?? path;
    const at = odd.lastIndexOf('/') + 1;
    const isParameter = this.#router.match(odd, 'GET').path.length > 0;
    if (isParameter || !/^[\w.-]{0,24}$/.test(odd.slice(at))) return `${odd.slice(0, at)}…`;
    return odd === path ? odd : `${odd}/…`;
  }

  #add(route: Route): void {
    const name = `${route.method} ${route.path}`;
    if (this.#byName.has(name)) throw new Error(`two routes for ${name}`);
    this.#byName.set(name, route);
    for (const path of [route.path, ...(route.aliases ?? [])]) {
      for (const beginning of beginningsOf(path)) this.#beginnings.add(beginning);
      if (path.includes(':')) this.#router.register(path, [route.method], () => undefined, { name });
      else this.#addExact(path, route);
    }
  }

  #addExact(path: string, route: Route): void {
    const exact = this.#exact.get(path) ?? { byMethod: new Map<string, Match>(), allow: '' };
    if (exact.byMethod.has(route.method)) throw new Error(`two routes for ${route.method} ${path}`);
    exact.byMethod.set(route.method, { route, rawParams: undefined });
    exact.allow = allowOf([...exact.byMethod.keys()]);
    this.#exact.set(path, exact);
  }

  #findPattern(method: string, path: string): Match | Refusal {
    const { path: layers, pathAndMethod } = this.#router.match(path, method);
    const layer = pathAndMethod[0];
    const route = this.#byName.get(layer?.name ?? '');
    if (layer !== undefined && route !== undefined) {
      const captures = layer.captures(path);
      return { route, rawParams: Object.fromEntries(layer.paramNames.map(({ name }, i) => [name, captures[i] ?? ''])) };
    }
    if (layers.length > 0) return wrongMethod(allowOf(layers.flatMap(({ methods }) => methods)));
    return NO_PATH;
  }
}

/** `/v1`, `/v1/users` of `/v1/users/:user_id`. */
function* beginningsOf(path: string): Generator<string> {
  for (let at = path.indexOf('/', 1); at !== -1; at = path.indexOf('/', at + 1)) {
    yield path.slice(0, at);
    if (path[at + 1] === ':') return;
  }
  yield path;
}

function wrongMethod(allow: string): Refusal {
  return { refused: 'method-not-allowed', detail: `This path takes ${allow}.`, allow };
}

function allowOf(methods: readonly string[]): string {
  return [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))].sort().join(', ');
}
