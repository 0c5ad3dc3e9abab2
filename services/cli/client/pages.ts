type PageWith<Member extends string> = Readonly<Record<Member, readonly unknown[]>> & {
  readonly next_cursor: string | null;
};

/**
 * A listing as if it were one page, of as many answers as that takes. What else a page has is that of the last.
 *
 * @param member Which of its members has the items.
 * @param limit The most items that are wanted; `Infinity` for all.
 * @param pageLimit The most that the service puts into one page.
 */
export async function onePage<Member extends string, Page extends PageWith<Member>>(
  member: Member,
  { limit, pageLimit }: { readonly limit: number; readonly pageLimit: number },
  ask: (limit: number, cursor: string | undefined) => Promise<Page>,
): Promise<Page> {
  const items: unknown[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await ask(Math.min(pageLimit, limit - items.length), cursor);
    for (const item of page[member]) items.push(item);
    if (page.next_cursor === null || items.length >= limit) return { ...page, [member]: items };
    cursor = page.next_cursor;
  }
}
