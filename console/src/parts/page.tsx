/** What a page of a screen is made of. */
import type { ComponentChildren } from 'preact';
import { linkTo } from '../frame/router.ts';

interface ScreenPageProps {
  readonly title: ComponentChildren;
  /** The list that this is one of. */
  readonly up?: { readonly path: string; readonly name: string };
  /** Behind the title. */
  readonly beside?: ComponentChildren;
  /** Buttons at the end of the head. */
  readonly actions?: ComponentChildren;
  /** A class beside `screen`. */
  readonly look?: string;
  readonly children?: ComponentChildren;
}

/** A page of a screen, with its head. */
export function ScreenPage({ title, up, beside, actions, look = '', children }: ScreenPageProps) {
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
        {actions && <div class="row actions">{actions}</div>}
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
  readonly look?: string | undefined;
  readonly children: ComponentChildren;
}

/** A part of a page with a heading of its own. */
export function Section({ id, title, actions, look, children }: SectionProps) {
  return (
    <section class={look} aria-labelledby={id}>
      <div class="section-head">
        <h2 id={id}>{title}</h2>
        {actions && <div class="row">{actions}</div>}
      </div>
      {children}
    </section>
  );
}
