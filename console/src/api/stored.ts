import { effect, signal, type Signal } from '@preact/signals';

/** A choice of this browser, kept in its storage where it has one. */
export function stored(name: string, initial: string): Signal<string> {
  const key = `tidemark-${name}`;
  const choice = signal(initial);
  try {
    choice.value = localStorage.getItem(key) ?? initial;
    effect(() => localStorage.setItem(key, choice.value));
  } catch {
    // Without storage the choice lasts as long as the page.
  }
  return choice;
}
