import { useMemo, useState } from 'preact/hooks';
import { useShortcuts } from '../../frame/keyboard.ts';

/** What one line of a list does when Esc is pressed while it is open. */
export function useEscape(close: () => void): void {
  const [shortcuts] = useState(() => ({ current: close }));
  shortcuts.current = close;
  useShortcuts(useMemo(() => ({ Escape: () => shortcuts.current() }), []));
}
