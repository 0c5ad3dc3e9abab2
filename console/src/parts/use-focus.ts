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

/** Opens a dialog of this ref, which opens after what is in it is there: the field that wants the focus gets it then. */
export function useOpenDialog(): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    dialog.current?.showModal();
    dialog.current?.querySelector<HTMLElement>('[data-first]')?.focus();
  }, []);
  return dialog;
}
