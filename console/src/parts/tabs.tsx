import { useEffect, useRef } from 'preact/hooks';
import { address, linkTo, parameter } from '../api/address.ts';

interface TabLink {
  readonly title: string;
  /** Made with `linkTo`: which tab is open is in the address. */
  readonly link: string;
  readonly isOpen: boolean;
}

/** Views of one thing, or pages of one screen, one at a time. */
export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly TabLink[] }) {
  const list = useRef<HTMLUListElement>(null);
  const open = tabs.find(({ isOpen }) => isOpen)?.title;
  // Where there is little room, some are out of sight. Only the list is moved: `scrollIntoView` moves the page as well.
  useEffect(() => {
    const tab = list.current?.querySelector<HTMLElement>('[aria-current]')?.parentElement;
    if (list.current !== null && tab) list.current.scrollLeft = tab.offsetLeft - list.current.offsetLeft;
  }, [open]);
  return (
    <ul ref={list} class="tabs" aria-label={label}>
      {tabs.map(({ title, link, isOpen }) => (
        <li key={title}>
          <a href={link} aria-current={isOpen ? 'page' : undefined}>
            {title}
          </a>
        </li>
      ))}
    </ul>
  );
}

/** A tab that is named by the parameter `tab` of the address. */
interface Tab {
  /** What the address has; '' for the first. */
  readonly name: string;
  readonly title: string;
}

export function tabLinks(tabs: readonly Tab[]): readonly TabLink[] {
  const { path } = address.value;
  const open = tabOf(tabs);
  return tabs.map(({ name, title }) => ({ title, link: linkTo(path, { tab: name }), isOpen: name === open }));
}

/** The name of the tab that the address has; the first where it has none of them. */
export function tabOf(tabs: readonly Tab[]): string {
  const named = parameter('tab') ?? '';
  return tabs.some(({ name }) => name === named) ? named : (tabs[0]?.name ?? '');
}
