/** Pages of the catalog: which entries, in which order, and as JSON. Pure. */
import { formatMicros } from '../../messages/timestamp.ts';
import type { CatalogMember, CatalogName } from '../../stores/analytics/catalog.ts';
import { type ListPage, pageFrom } from '../query.ts';

type CatalogOrder = 'count' | 'name';

/** A position in a list: after this entry. */
interface CatalogCursor {
  readonly order: CatalogOrder;
  readonly count: number;
  readonly name: string;
}

/** Which entries a page has. */
export interface CatalogFilter {
  readonly limit: number;
  readonly order: CatalogOrder;
  readonly prefix?: string;
  readonly search?: string;
}

const MAX_CURSOR_LENGTH = 8_192;

/** Base64url of the JSON of the order, the count and the name. */
function encodeCatalogCursor({ order, count, name }: CatalogCursor): string {
  return Buffer.from(JSON.stringify([order, count, name])).toString('base64url');
}

export function decodeCatalogCursor(text: string): CatalogCursor | undefined {
  if (text.length > MAX_CURSOR_LENGTH) return undefined;
  try {
    const [order, count, name] = JSON.parse(Buffer.from(text, 'base64url').toString()) as readonly unknown[];
    if ((order !== 'count' && order !== 'name') || typeof name !== 'string') return undefined;
    if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 0) return undefined;
    const cursor = { order, count, name } as const;
    return encodeCatalogCursor(cursor) === text ? cursor : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The entries of a page. By count: the highest first, those of one count by name. What is counted between two pages may
 * move an entry from one to the other.
 */
export function catalogPageOf<T extends CatalogName>(
  all: readonly T[],
  { limit, order, prefix = '', search = '' }: CatalogFilter,
  after?: CatalogCursor,
): ListPage<T> {
  const compare = order === 'name' ? byName : byCount;
  const text = search.toLowerCase();
  const isWanted = ({ name }: T): boolean => name.startsWith(prefix) && name.toLowerCase().includes(text);
  const found = all
    .filter((entry) => isWanted(entry) && (after === undefined || compare(after, entry) < 0))
    .sort(compare);
  return pageFrom(found, limit, ({ name, count }) => encodeCatalogCursor({ order, count, name }));
}

type Ordered = Pick<CatalogName, 'name' | 'count'>;

function byName(one: Ordered, other: Ordered): number {
  return one.name < other.name ? -1 : Number(one.name > other.name);
}

function byCount(one: Ordered, other: Ordered): number {
  return other.count - one.count || byName(one, other);
}

/** As a member of an answer. */
export function nameBody({ name, count, firstSeen, lastSeen }: CatalogName): object {
  return { name, count, first_seen: formatMicros(firstSeen), last_seen: formatMicros(lastSeen) };
}

/** As a member of an answer. */
export function memberBody(member: CatalogMember): object {
  const types = member.types.map(([type, count]) => ({ type, count, share: shareOf(count, member.count) }));
  return { ...nameBody(member), types, examples: member.examples };
}

const SHARE_STEPS = 10_000;

/** With four digits; a type that is there has more than none, and one of several less than all. */
function shareOf(count: number, all: number): number {
  if (count === all) return 1;
  const steps = Math.round((count / all) * SHARE_STEPS);
  return Math.min(Math.max(steps, 1), SHARE_STEPS - 1) / SHARE_STEPS;
}
