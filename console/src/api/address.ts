/**
 * The address is the state. It is kept behind the `#`: what is looked for and at (ids of people) reaches no server's log,
 * and the console needs one page only, wherever a proxy puts it.
 */
import { computed, signal } from '@preact/signals';

export interface Address {
  /** `#/users/ada` → `['users', 'ada']`, decoded. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

const hash = signal(location.hash);
addEventListener('hashchange', () => {
  hash.value = location.hash;
});

export const address = computed<Address>(() => parseAddress(hash.value));

/** A parameter of the address; undefined where it has none. */
export function parameter(name: string): string | undefined {
  return address.value.query.get(name) ?? undefined;
}

/** A link to a screen, in the same project. Parameters that are undefined or empty are left out. */
export function linkTo(path: readonly string[], query: Readonly<Record<string, string | undefined>> = {}): string {
  const project = address.peek().query.get('project') ?? undefined;
  const given = Object.entries({ project, ...query }).filter(
    (entry): entry is [string, string] => (entry[1] ?? '') !== '',
  );
  const text = new URLSearchParams(given).toString();
  return `#/${path.map(encodeURIComponent).join('/')}${text === '' ? '' : `?${text}`}`;
}

/** What is shown, behind the `#/` and without the project. */
export function pageAddress(): string {
  const { path, query } = address.peek();
  return linkTo(path, { ...Object.fromEntries(query), project: undefined }).slice(2);
}

export function goTo(link: string): void {
  location.hash = link;
}

/** Changes parameters of the present address. `push` makes an entry that Back returns from. */
export function setParameters(
  changes: Readonly<Record<string, string | undefined>>,
  { push = false }: { readonly push?: boolean } = {},
): void {
  const { path, query } = address.peek();
  const link = linkTo(path, { ...Object.fromEntries(query), ...changes });
  if (link === location.hash) return;
  if (push) {
    location.hash = link;
    return;
  }
  history.replaceState(history.state, '', link);
  hash.value = link;
}

export function parseAddress(text: string): Address {
  const [path = '', query = ''] = text.replace(/^#\/?/, '').split(/\?(.*)/s, 2);
  return { path: path.split('/').filter(Boolean).map(decoded), query: new URLSearchParams(query) };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
