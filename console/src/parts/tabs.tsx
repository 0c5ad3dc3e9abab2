import { useEffect, useRef } from 'preact/hooks';
import './tabs.css';

export interface Tab {
  readonly name: string;
  /** Made with `linkTo`: which tab is open is in the address. */
  readonly link: string;
  readonly isOpen: boolean;
}

/** The pages of one screen, above their content. */
export function Tabs({ name, tabs }: { readonly name: string; readonly tabs: readonly Tab[] }) {
  const list = useRef<HTMLUListElement>(null);
  const open = tabs.find(({ isOpen }) => isOpen)?.name;
  // Where there is little room, some are out of sight.
  useEffect(() => list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' }), [open]);
  return (
    <ul ref={list} class="tabs" aria-label={name}>
      {tabs.map((tab) => (
        <li key={tab.name}>
          <a href={tab.link} aria-current={tab.isOpen ? 'page' : undefined}>
            {tab.name}
          </a>
        </li>
      ))}
    </ul>
  );
}
