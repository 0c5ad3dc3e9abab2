/** What a page of a screen is made of. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { address, linkTo, pageAddress, parameter } from '../api/address.ts';
import { ask, operation, urlOf } from '../api/client.ts';
import { mayChangeAudiences, project } from '../api/session.ts';
import { copy, CopyAs, type CopyAsProps } from './copy-as.tsx';
import { Dialog } from './dialog.tsx';
import { Button, Field, Menu } from './form.tsx';
import { Form, tellDone } from './loading/change.tsx';

interface ScreenPageProps {
  readonly title: ComponentChildren;
  /** The list that this is one of. */
  readonly up?: { readonly path: string; readonly name: string };
  /** Behind the title. */
  readonly beside?: ComponentChildren;
  /** Buttons at the end of the head. */
  readonly actions?: ComponentChildren;
  /** The same for a terminal, behind the buttons: once on a page. */
  readonly copy?: CopyAsProps | undefined;
  /** A class beside `screen`. */
  readonly look?: string;
  readonly children?: ComponentChildren;
}

/** A page of a screen, with its head. */
export function ScreenPage({ title, up, beside, actions, copy, look = '', children }: ScreenPageProps) {
  return (
    <div class={`screen ${look}`.trim()}>
      {up !== undefined && (
        <p class="up">
          <a href={linkTo([up.path])}>{up.name}</a>
        </p>
      )}
      <div class="head">
        <h1>{title}</h1>
        {beside}
        <div class="row actions">
          {actions}
          {copy !== undefined && <CopyAs {...copy} />}
          <Share />
        </div>
      </div>
      {children}
    </div>
  );
}

interface SectionProps {
  /** The id of its heading, once on a page. */
  readonly id: string;
  readonly title: string;
  /** How much there is of it. */
  readonly count?: number | string;
  /** At the end of the line of the heading. */
  readonly actions?: ComponentChildren;
  /** For the parts of a screen that are pages of their own. */
  readonly copy?: CopyAsProps;
  readonly look?: string | undefined;
  readonly children: ComponentChildren;
}

/** A part of a page with a heading of its own. */
export function Section({ id, title, count, actions, copy, look, children }: SectionProps) {
  return (
    <section class={look} aria-labelledby={id}>
      <div class="section-head">
        <h2 id={id}>
          {title} {count !== undefined && <span class="quiet">{count}</span>}
        </h2>
        {(Boolean(actions) || copy !== undefined) && (
          <div class="row">
            {actions}
            {copy !== undefined && <CopyAs {...copy} />}
          </div>
        )}
      </div>
      {children}
    </section>
  );
}

interface LinkButtonProps {
  readonly label: string;
  /** Made with `linkTo`. */
  readonly link: string;
  readonly look?: 'primary';
}

/** A link that looks like a button. */
export function LinkButton({ label, link, look }: LinkButtonProps) {
  return (
    <a class={look === undefined ? 'button' : `button ${look}`} href={link}>
      {label}
    </a>
  );
}

/** A menu in the head of each page. Whoever opens the link signs in first, and looks at the same project. */
export function Share() {
  const [isPinning, setPinning] = useState(false);
  const { path, query } = address.value;
  // A page about one person is forgotten with the person, and what is in settings is of no project.
  const isOfOnePerson = path[0] === 'users' && path.length > 1;
  const mayPin = mayChangeAudiences.value && path.length > 0 && path[0] !== 'settings' && !isOfOnePerson;
  const copyLink = (): void => {
    const link = linkTo(path, { ...Object.fromEntries(query), project: project.value?.id });
    copy(new URL(link, location.href).href);
  };
  return (
    <>
      <Menu text="Share" panel="narrow" isChoice>
        <Button label="Copy link" look="plain" onClick={copyLink} />
        {mayPin && <Button label="Pin to Today…" look="plain" onClick={() => setPinning(true)} />}
      </Menu>
      {isPinning && <PinDialog onClose={() => setPinning(false)} />}
    </>
  );
}

function PinDialog({ onClose }: { readonly onClose: () => void }) {
  const [pinned] = useState(() => ({
    title: document.querySelector('main h1')?.textContent ?? '',
    address: pageAddress(),
  }));
  const pin = async (name: string): Promise<void> => {
    await ask(operation('PUT /v1/pins/{name}', { path: { name }, body: { address: pinned.address } }));
    tellDone('Pinned to Today.');
    onClose();
  };
  return (
    <Dialog title="Pin to Today" onClose={onClose}>
      {(close) => (
        <Form action="Pin" onSend={async (textOf) => pin(textOf('name'))} onCancel={close}>
          <Field label="Name" name="name" required maxLength={80} defaultValue={pinned.title.slice(0, 80)} isFirst />
          <p class="quiet small">
            Everybody who looks at this project sees it on Today. There is room for six; a name that is there already is
            replaced.
          </p>
        </Form>
      )}
    </Dialog>
  );
}

interface FactsProps {
  /** By their names; those that are undefined or false are left out. */
  readonly of: Readonly<Record<string, ComponentChildren>>;
  /** A class beside `facts`. */
  readonly look?: string;
}

/** What is known of something, each with its name. */
export function Facts({ of: facts, look = '' }: FactsProps) {
  return (
    <dl class={`facts ${look}`.trim()}>
      {Object.entries(facts).map(
        ([name, value]) =>
          value !== undefined &&
          value !== false && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

interface DocsLinkProps {
  /** Within the repository: `docs/operations.md#away`. The service has the pages of its own version. */
  readonly path: string;
  readonly children: ComponentChildren;
}

export function DocsLink({ path, children }: DocsLinkProps) {
  return (
    <a href={urlOf(`/${path}`)} target="_blank" rel="noreferrer">
      {children}
    </a>
  );
}

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
