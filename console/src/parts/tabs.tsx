/** Views of one thing, one at a time. Which one is in the address. */
import { address, linkTo } from '../frame/router.ts';
import './tabs.css';

export interface Tab {
  /** What the address has; '' for the first. */
  readonly name: string;
  readonly title: string;
}

export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  const { path } = address.value;
  const current = tabOf(tabs);
  return (
    <ul class="tabs" aria-label={label}>
      {tabs.map(({ name, title }) => (
        <li key={name}>
          <a href={linkTo(path, { tab: name })} aria-current={name === current ? 'page' : undefined}>
            {title}
          </a>
        </li>
      ))}
    </ul>
  );
}

/** The name of the tab that the address has; the first where it has none of them. */
export function tabOf(tabs: readonly Tab[]): string {
  const named = address.value.query.get('tab') ?? '';
  return tabs.some(({ name }) => name === named) ? named : (tabs[0]?.name ?? '');
}
