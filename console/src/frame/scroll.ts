/** Back returns to where a list was scrolled to, and another page begins at its top. */

/** How long a list may take to be there again: the browser would scroll before it is. */
const WITHIN_MS = 10_000;
const LOOK_MS = 50;
const KEEP_AFTER_MS = 150;

/** Keeps for each entry of the history how far its page was scrolled. Returns how to end that. */
export function keepScroll(): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  history.scrollRestoration = 'manual';
  let page = pageOf(location.hash);
  let isReturning = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const keep = (): void => {
    if (!isReturning) history.replaceState({ scrollY }, '');
  };
  const onScroll = (): void => {
    clearTimeout(timer);
    timer = setTimeout(keep, KEEP_AFTER_MS);
  };
  const onPopState = ({ state }: PopStateEvent): void => {
    clearTimeout(timer);
    const { scrollY: wanted } = (state ?? {}) as { readonly scrollY?: number };
    const isOther = page !== pageOf(location.hash);
    page = pageOf(location.hash);
    if (wanted === undefined) {
      // A new entry: a page that was opened, or something that was opened on this one.
      if (isOther) scrollTo(0, 0);
      return;
    }
    isReturning = true;
    void returnTo(wanted, signal).then(() => (isReturning = false));
  };
  addEventListener('scroll', onScroll, { signal, passive: true });
  addEventListener('popstate', onPopState, { signal });
  return () => controller.abort();
}

function pageOf(hash: string): string {
  return hash.split('?', 1)[0] ?? '';
}

/**
 * Whoever scrolls meanwhile is left where they are. The page that is left is shown until the address has been read: it is
 * not scrolled, for it may be long enough, and the list that follows is not there yet.
 */
async function returnTo(wanted: number, signal: AbortSignal): Promise<void> {
  const scrolled = new AbortController();
  for (const name of ['wheel', 'touchmove', 'keydown'] as const)
    addEventListener(name, () => scrolled.abort(), { once: true, passive: true, signal });
  const untilMs = performance.now() + WITHIN_MS;
  while (!signal.aborted && !scrolled.signal.aborted && performance.now() < untilMs) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    scrollTo(0, wanted);
    if (Math.abs(scrollY - wanted) < 2) return;
  }
}
