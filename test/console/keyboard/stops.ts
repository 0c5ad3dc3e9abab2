/** Where the Tab key leads on a page, and what a screen reader says there: by the accessibility tree of the browser. */
import type { CDPSession, Page } from 'playwright-core';

export interface Stop {
  readonly role: string;
  readonly name: string;
  /** Whether a person sees that it has the focus: an outline or a shadow, within the window. */
  readonly isSeen: boolean;
  /** Whether it is within `main`. */
  readonly isContent: boolean;
}

interface AxValue {
  readonly value?: unknown;
}

/** In the page: the element that has the focus, as the tests ask about it. */
const FOCUSED = `(() => {
  const element = document.activeElement;
  if (element === null || element === document.body) return undefined;
  const hasOutline = ({ outlineStyle, outlineWidth, boxShadow }) =>
    (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1) || boxShadow !== 'none';
  // A link that is its whole row is marked behind itself, one of a drawing by its frame.
  const styles = [getComputedStyle(element), getComputedStyle(element, '::after')];
  const frame = element instanceof SVGElement ? element.querySelector('rect') : null;
  const isFramed = frame !== null && parseFloat(getComputedStyle(frame).strokeWidth) >= 2;
  const { bottom, right, width, height } = element.getBoundingClientRect();
  const isMarked = styles.some(hasOutline) || isFramed;
  const isThere = width > 0 && height > 0 && bottom > 0 && right > 0;
  const text = element.localName === 'time' ? element.textContent : '';
  return { isSeen: isMarked && isThere, isContent: element.closest('main') !== null, text };
})()`;

type Look = Pick<Stop, 'isSeen' | 'isContent'> & {
  /** What is read of an instant, which has no name of its own. */
  readonly text: string;
};

/** What has the focus; undefined where nothing has. */
export async function stopOf(page: Page, session: CDPSession): Promise<Stop | undefined> {
  const seen = await page.evaluate<Look | undefined>(FOCUSED);
  if (seen === undefined) return undefined;
  const { text, ...rest } = seen;
  const { result } = await session.send('Runtime.evaluate', { expression: 'document.activeElement' });
  if (result.objectId === undefined) return undefined;
  const query = { objectId: result.objectId, fetchRelatives: false };
  const [node] = (await session.send('Accessibility.getPartialAXTree', query)).nodes;
  return { ...rest, role: wordIn(node?.role), name: wordIn(node?.name) || text };
}

function wordIn(value: AxValue | undefined): string {
  return typeof value?.value === 'string' ? value.value.trim() : '';
}

/** More than any screen has: one that catches the focus would go on for ever. */
const MOST_STOPS = 250;

/** Presses Tab from what has the focus now until the document is left, or begins anew. */
export async function stopsOn(page: Page): Promise<readonly Stop[]> {
  const session = await page.context().newCDPSession(page);
  await session.send('Accessibility.enable');
  const stops: Stop[] = [];
  while (stops.length < MOST_STOPS) {
    await page.keyboard.press('Tab');
    const stop = await stopOf(page, session);
    if (stop === undefined || (stop.name === 'Skip to the content' && stops.length > 0)) break;
    stops.push(stop);
  }
  await session.detach();
  return stops;
}
