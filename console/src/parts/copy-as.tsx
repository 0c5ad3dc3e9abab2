/** "Copy as curl", "as tidemark": the same request, for a terminal. The key is never in it: it is `$TIDEMARK_KEY`. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { chosenProject, pathOf, type Query, SERVICE } from '../api/client.ts';

export interface CopyAsProps {
  readonly path: string;
  readonly query?: Query;
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** JSON text. */
  readonly body?: string;
  /** Whether the answer is a stream, which curl must not buffer. */
  readonly isStream?: boolean;
  /** The words behind `tidemark` that ask the same, where the command line has them. */
  readonly tidemark?: readonly string[];
  /** Further forms of the same, each a `Command`. */
  readonly children?: ComponentChildren;
}

export function CopyAs(props: CopyAsProps) {
  return (
    <details class="menu" onKeyDown={closeByEscape}>
      <summary class="button">Copy as…</summary>
      <div class="menu-panel">
        <Command name="curl" text={curlText(props)} />
        {props.tidemark !== undefined && <Command name="tidemark" text={tidemarkText(props.tidemark)} />}
        {props.children}
        <p class="quiet small">
          <code>TIDEMARK_KEY</code> stands for your key, which this page does not have.
        </p>
      </div>
    </details>
  );
}

/** A command to be copied, with its button. */
export function Command({ name, text }: { readonly name: string; readonly text: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = (): void => {
    // Absent on pages without https: the text can be selected there.
    void navigator.clipboard?.writeText(text).then(() => {
      setCopied(true);
      setTimeout(setCopied, 2_000, false);
    });
  };
  return (
    <div class="command">
      <div class="command-head">
        <span>{name}</span>
        <button type="button" class="plain" onClick={copy} aria-label={`Copy the ${name} command`}>
          {isCopied ? 'Copied' : 'Copy'}
        </button>
      </div>
      <pre tabIndex={0}>{text}</pre>
    </div>
  );
}

export function curlText({ method = 'GET', path, query, body, isStream = false }: CopyAsProps): string {
  const project = chosenProject.id;
  const lines = [
    `curl ${isStream ? '-N ' : ''}${method === 'GET' ? '' : `-X ${method} `}${quoted(SERVICE.origin + SERVICE.pathname + pathOf(path, query))}`,
    `-H "Authorization: Bearer $TIDEMARK_KEY"`,
    ...(project === undefined ? [] : [`-H ${quoted(`Tidemark-Project: ${project}`)}`]),
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${quoted(body)}`]),
  ];
  return lines.join(' \\\n  ');
}

function tidemarkText(words: readonly string[]): string {
  const url = SERVICE.origin + SERVICE.pathname.replace(/\/$/, '');
  return ['tidemark', ...words.map((word) => (/^[\w./:=-]+$/.test(word) ? word : quoted(word))), '--url', url].join(
    ' ',
  );
}

// A press anywhere else closes a menu, as people expect of one.
addEventListener('pointerdown', ({ target }) => {
  for (const menu of document.querySelectorAll<HTMLDetailsElement>('details.menu[open]')) {
    if (!(target instanceof Node && menu.contains(target))) menu.open = false;
  }
});

/** For a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Esc closes a menu and gives the focus back to what opens it. */
export function closeByEscape(event: KeyboardEvent & { readonly currentTarget: HTMLDetailsElement }): void {
  const { currentTarget: menu } = event;
  if (event.key !== 'Escape' || !menu.open) return;
  event.preventDefault();
  event.stopPropagation();
  menu.open = false;
  menu.querySelector('summary')?.focus();
}
