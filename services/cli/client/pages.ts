export type ListedPage = object & { readonly next_cursor: string | null };

/**
 * A listing as if it were one page, of as many answers as that takes. What else a page has is that of the last.
 *
 * @param limit The most items that are wanted; `Infinity` for all.
 * @param pageLimit The most that the service puts into one page.
 */
export async function onePage<P extends ListedPage>(
  { limit, pageLimit }: { readonly limit: number; readonly pageLimit: number },
  ask: (limit: number, cursor: string | undefined) => Promise<P>,
): Promise<P> {
  const items: unknown[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await ask(Math.min(pageLimit, limit - items.length), cursor);
    // A page has one list.
    const [member = '', list] = Object.entries<unknown>({ ...page }).find(([, value]) => Array.isArray(value)) ?? [];
    for (const item of list as readonly unknown[]) items.push(item);
    if (page.next_cursor === null || items.length >= limit) return { ...page, [member]: items };
    cursor = page.next_cursor;
  }
}
