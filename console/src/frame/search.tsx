/** One search for everything, which Ctrl K opens. Its code is loaded when it is first opened. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { linkTo } from '../api/address.ts';
import { useLater } from '../parts/loading/use-load.tsx';
import { openScreens } from './screens.ts';

const isOpen = signal(false);

export function openSearch(): void {
  isOpen.value = true;
}

export function Search() {
  const Palette = useLater(isOpen.value, async () => (await import('../screens/search/palette.tsx')).Palette);
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (!(event.ctrlKey || event.metaKey) || event.key !== 'k') return;
      event.preventDefault();
      if (document.querySelector('dialog[open]') === null) openSearch();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  const screens = openScreens.value.map(({ name, path }) => ({ kind: 'Screen', name, link: linkTo([path]) }) as const);
  return isOpen.value && Palette !== undefined ? (
    <Palette screens={screens} onClose={() => (isOpen.value = false)} />
  ) : null;
}
