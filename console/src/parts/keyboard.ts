/** Keys that work everywhere, and those that a screen adds while it is there. */
import { useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { stored } from '../api/stored.ts';

export type Shortcuts = Readonly<Record<string, () => void>>;

/** Single keys can be turned off: who dictates or uses a switch would press them by accident (WCAG 2.1.4). */
export const singleKeys = stored('single-keys', 'on');

const layers: Shortcuts[] = [];
let prefix = '';

/**
 * Adds keys while the component is there: `j`, `Escape`, or two in turn (`g l`). The newest layer that has a key wins.
 *
 * @param shortcuts A constant, or made with `useMemo`.
 */
export function useShortcuts(shortcuts: Shortcuts): void {
  // Before anything is painted: who sees a screen may press its keys.
  useLayoutEffect(() => {
    layers.unshift(shortcuts);
    return () => {
      layers.splice(layers.indexOf(shortcuts), 1);
    };
  }, [shortcuts]);
}

/** What one line of a list does when Esc is pressed while it is open. */
export function useEscape(close: () => void): void {
  const [shortcuts] = useState(() => ({ current: close }));
  shortcuts.current = close;
  useShortcuts(useMemo(() => ({ Escape: () => shortcuts.current() }), []));
}

addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof Element && event.target.closest('input, select, textarea') !== null;
  if (!counts(event, isTyping)) return;
  const name = prefix + event.key;
  prefix = '';
  if (isTyping && event.target instanceof HTMLElement) {
    event.target.blur();
    // Browsers would empty a field of a search.
    event.preventDefault();
  }
  const run = layers.find((layer) => Object.hasOwn(layer, name))?.[name];
  if (run !== undefined) {
    event.preventDefault();
    run();
  } else if (layers.some((layer) => Object.keys(layer).some((key) => key.startsWith(`${name} `)))) {
    prefix = `${name} `;
  }
});

function counts(event: KeyboardEvent, isTyping: boolean): boolean {
  const isChord = event.ctrlKey || event.metaKey || event.altKey || event.key === 'Shift';
  // A dialog that is open has the keyboard for itself.
  if (isChord || event.defaultPrevented || document.querySelector('dialog[open]') !== null) return false;
  return event.key === 'Escape' || (!isTyping && singleKeys.value !== 'off');
}
