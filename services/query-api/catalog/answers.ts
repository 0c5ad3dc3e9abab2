import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import type { CatalogName } from '../../stores/analytics/catalog.ts';
import { type QueryRequest, readName } from '../query.ts';
import type { Catalog, CatalogList } from './catalog.ts';
import { memberBody, nameBody, catalogPageOf, readCatalogPageQuery } from './catalog-page.ts';

/** `GET /v1/catalog/events` */
export function answerCatalogEvents(catalog: Catalog, call: QueryRequest): Promise<Answer | Refusal> {
  return answerPage(call, 'events', () => catalog.events(call.project), nameBody);
}

/** `GET /v1/catalog/traits` */
export function answerCatalogTraits(catalog: Catalog, call: QueryRequest): Promise<Answer | Refusal> {
  return answerPage(call, 'traits', () => catalog.traits(call.project), memberBody);
}

/** `GET /v1/catalog/events/:name/properties` */
export async function answerCatalogProperties(catalog: Catalog, call: QueryRequest): Promise<Answer | Refusal> {
  const event = readName('name', call.params['name'] ?? '');
  if (!event.ok) return event.refusal;
  return answerPage(call, 'properties', () => catalog.properties(call.project, event.value), memberBody);
}

async function answerPage<T extends CatalogName>(
  { query }: QueryRequest,
  member: string,
  find: () => Promise<(CatalogList<T> & { readonly event?: CatalogName }) | undefined>,
  bodyOf: (entry: T) => object,
): Promise<Answer | Refusal> {
  const page = readCatalogPageQuery(query);
  if (!page.ok) return page.refusal;
  const list = await find();
  if (list === undefined) return NO_EVENT;
  const { entries, nextCursor } = catalogPageOf(list.entries, page.value);
  const body = {
    ...(list.event && { event: nameBody(list.event) }),
    [member]: entries.map(bodyOf),
    exact: list.isExact,
    truncated: list.isTruncated,
    next_cursor: nextCursor,
  };
  return { status: 200, body: JSON.stringify(body) };
}

const NO_EVENT: Refusal = { refused: 'not-found', detail: 'This project has no event of this name.' };
