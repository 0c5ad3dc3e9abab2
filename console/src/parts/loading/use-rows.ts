import { useMemo, useState } from 'preact/hooks';
import { useShortcuts } from '../../frame/keyboard.ts';

/**
 * `j` and `k` move the focus through the rows of a list: the elements with `data-row`, which open with Enter as buttons
 * and links do.
 */
export function useRowKeys(): void {
  useShortcuts(ROW_KEYS);
}

const ROW_KEYS = { j: () => moveFocus(1), k: () => moveFocus(-1) };

function moveFocus(step: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')];
  const at = rows.findIndex((row) => row === document.activeElement);
  const next = at === -1 ? (step > 0 ? 0 : rows.length - 1) : at + step;
  rows[Math.min(Math.max(next, 0), rows.length - 1)]?.focus();
}

/** What one line of a list does when Esc is pressed while it is open. */
export function useEscape(close: () => void): void {
  const [shortcuts] = useState(() => ({ current: close }));
  shortcuts.current = close;
  useShortcuts(useMemo(() => ({ Escape: () => shortcuts.current() }), []));
}
