import type { Call } from '../../http/call.ts';
import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import type { CatalogName } from '../../stores/analytics/catalog.ts';
import type { Input } from '../input.ts';
import { readCursor, refuseParameter } from '../query.ts';
import type { Catalog, CatalogList } from '../../questions/catalog/catalog.ts';
import { type CatalogFilter, catalogPageOf, decodeCatalogCursor, memberBody, nameBody } from './catalog-page.ts';

type Listed = { readonly query: CatalogFilter & { readonly cursor?: string } };

/** `GET /v1/catalog/events` */
export function answerCatalogEvents(catalog: Catalog, call: Call, input: Listed): Promise<Answer | Refusal> {
  return answerPage(input, 'events', () => catalog.events(call.project), nameBody);
}

/** `GET /v1/catalog/traits` */
export function answerCatalogTraits(catalog: Catalog, call: Call, input: Listed): Promise<Answer | Refusal> {
  return answerPage(input, 'traits', () => catalog.traits(call.project), memberBody);
}

/** `GET /v1/catalog/events/:name/properties` */
export async function answerCatalogProperties(
  catalog: Catalog,
  call: Call,
  input: Input<'GET /v1/catalog/events/{name}/properties'>,
): Promise<Answer | Refusal> {
  return answerPage(input, 'properties', () => catalog.properties(call.project, input.path.name), memberBody);
}

async function answerPage<T extends CatalogName>(
  { query }: Listed,
  member: string,
  find: () => Promise<(CatalogList<T> & { readonly event?: CatalogName }) | undefined>,
  bodyOf: (entry: T) => object,
): Promise<Answer | Refusal> {
  const after = readCursor(query.cursor, decodeCatalogCursor);
  if (!after.ok) return after.refusal;
  if (after.value !== undefined && after.value.order !== query.order) return OTHER_ORDER;
  const list = await find();
  if (list === undefined) return NO_EVENT;
  const { items, next } = catalogPageOf(list.entries, query, after.value);
  const body = {
    ...(list.event && { event: nameBody(list.event) }),
    [member]: items.map(bodyOf),
    exact: list.isExact,
    truncated: list.isTruncated,
    next_cursor: next,
  };
  return { status: 200, body: JSON.stringify(body) };
}

const OTHER_ORDER = refuseParameter('cursor', 'is of a list in another order').refusal;

const NO_EVENT: Refusal = { refused: 'not-found', detail: 'This project has no event of this name.' };
