import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/**
 * Gives the field of this ref the focus once it is there. The attribute `autofocus` does so once in a document: browsers
 * pass it over after that.
 */
export function useFocusOnMount<T extends HTMLElement>(isWanted = true): RefObject<T | null> {
  const ref = useRef<T>(null);
  useLayoutEffect(() => {
    if (!isWanted || ref.current === null) return;
    ref.current.dataset['first'] = '';
    ref.current.focus();
  }, []);
  return ref;
}
