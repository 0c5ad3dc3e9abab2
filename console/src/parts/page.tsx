/** What a page of a screen is made of. */
import type { ComponentChildren } from 'preact';
import { linkTo } from '../api/address.ts';
import { CopyAs, type CopyAsProps } from './copy-as.tsx';

interface ScreenPageProps {
  readonly title: ComponentChildren;
  /** The list that this is one of. */
  readonly up?: { readonly path: string; readonly name: string };
  /** Behind the title. */
  readonly beside?: ComponentChildren;
  /** Buttons at the end of the head. */
  readonly actions?: ComponentChildren;
  /** The same for a terminal, behind the buttons: once on a page. */
  readonly copy?: CopyAsProps;
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
        <Actions look="row actions" actions={actions} copy={copy} />
      </div>
      {children}
    </div>
  );
}

interface SectionProps {
  /** The id of its heading, once on a page. */
  readonly id: string;
  readonly title: ComponentChildren;
  /** At the end of the line of the heading. */
  readonly actions?: ComponentChildren;
  /** For the parts of a screen that are pages of their own. */
  readonly copy?: CopyAsProps;
  readonly look?: string | undefined;
  readonly children: ComponentChildren;
}

/** A part of a page with a heading of its own. */
export function Section({ id, title, actions, copy, look, children }: SectionProps) {
  return (
    <section class={look} aria-labelledby={id}>
      <div class="section-head">
        <h2 id={id}>{title}</h2>
        <Actions look="row" actions={actions} copy={copy} />
      </div>
      {children}
    </section>
  );
}

interface ActionsProps {
  readonly look: string;
  readonly actions: ComponentChildren;
  readonly copy: CopyAsProps | undefined;
}

function Actions({ look, actions, copy }: ActionsProps) {
  if (!actions && copy === undefined) return null;
  return (
    <div class={look}>
      {actions}
      {copy !== undefined && <CopyAs {...copy} />}
    </div>
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
