/** "Copy as curl", "as tidemark": the same request, for a terminal. The key is never in it: it is `$TIDEMARK_KEY`. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { chosenProject, type Operation, SERVICE, urlOf } from '../api/client.ts';
import { tellDone } from './loading/change.tsx';
import { Button, Menu } from './form.tsx';
import { Ready, useAnswer } from './loading/use-load.tsx';

export interface CopyAsProps {
  readonly request: Operation;
  /** Whether the answer is a stream, which curl must not buffer. */
  readonly isStream?: boolean;
  /** The words behind `tidemark` that ask the same, where the command line has them. */
  readonly tidemark?: readonly string[];
  /** What answers with the SQL; it is asked when the menu opens. */
  readonly explain?: Operation<{ readonly sql: string }>;
  /** What else the page asks or could ask, by what it is; those that are undefined are left out. */
  readonly also?: Readonly<Record<string, Operation | undefined>>;
  /** Further forms of the same, each a `Command`. */
  readonly children?: ComponentChildren;
}

export function CopyAs(props: CopyAsProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Menu text={TWO_SHEETS} label="Copy as…" look="plain icon" onToggle={setOpen}>
      <Command name="curl" text={curlText(props)} />
      {props.tidemark !== undefined && <Command name="tidemark" text={tidemarkText(props.tidemark)} />}
      {props.explain !== undefined && isOpen && <Sql request={props.explain} />}
      {Object.entries(props.also ?? {}).map(
        ([what, request]) =>
          request !== undefined && <Command key={what} name={`curl, ${what}`} text={curlText({ request })} />,
      )}
      {props.children}
      <p class="quiet small">
        <code>TIDEMARK_KEY</code> stands for your key, which this page does not have.
      </p>
    </Menu>
  );
}

const TWO_SHEETS = (
  <svg viewBox="0 0 16 16" aria-hidden="true">
    <path d="M5.500 5.500v-3h8v8h-3M2.500 5.500h8v8h-8z" />
  </svg>
);

/** The SQL that the service says a question is asked by. */
function Sql({ request }: { readonly request: Operation<{ readonly sql: string }> }) {
  return (
    <Ready of={useAnswer(request)} what="the SQL">
      {({ sql }) => <Command name="SQL" text={sql} what="the SQL" />}
    </Ready>
  );
}

interface CommandProps {
  readonly name: string;
  readonly text: string;
  /** What the button says that it copies. */
  readonly what?: string;
}

/** A text to be copied, with its button: most often a command. */
export function Command({ name, text, what = `the ${name} command` }: CommandProps) {
  return (
    <div class="command">
      <div class="command-head">
        <span>{name}</span>
        <CopyText text={text} what={what} />
      </div>
      <pre tabIndex={0}>{text}</pre>
    </div>
  );
}

/** A button that copies a text, which stands beside it. @param what What its name says that it copies. */
export function CopyText({ text, what }: { readonly text: string; readonly what: string }) {
  return <Button label="Copy" look="plain" onClick={() => copy(text)} aria-label={`Copy ${what}`} />;
}

export function copy(text: string): void {
  // Absent on pages without https: the text can be selected there.
  void navigator.clipboard?.writeText(text).then(() => tellDone('Copied.'));
}

export function curlText({ request, isStream = false }: Pick<CopyAsProps, 'request' | 'isStream'>): string {
  const { method, path, body } = request;
  const project = chosenProject.id;
  const lines = [
    `curl ${isStream ? '-N ' : ''}${method === 'GET' ? '' : `-X ${method} `}${quoted(urlOf(path))}`,
    `-H "Authorization: Bearer $TIDEMARK_KEY"`,
    ...(project === undefined ? [] : [`-H ${quoted(`Tidemark-Project: ${project}`)}`]),
    ...(typeof body !== 'string' ? [] : [`-H 'Content-Type: application/json'`, `-d ${quoted(body)}`]),
  ];
  return lines.join(' \\\n  ');
}

/** `--type track`: what is given of these options, for `tidemark`. */
export function optionWords(options: Readonly<Record<string, string | number | undefined>>): readonly string[] {
  return Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, String(value)]));
}

/** What asks about a project, which a key of the installation has to name. */
const OF_PROJECT = ['audience', 'endpoint', 'events', 'forget', 'tail', 'user'];

export function tidemarkText(words: readonly string[]): string {
  const url = SERVICE.origin + SERVICE.pathname.replace(/\/$/, '');
  const isOfProject = chosenProject.id !== undefined && OF_PROJECT.includes(words[0] ?? '');
  const given = [...words, ...(isOfProject ? ['--project', chosenProject.id ?? ''] : []), '--url', url];
  return ['./tidemark', ...given.map((word) => (/^[\w./:=-]+$/.test(word) ? word : quoted(word)))].join(' ');
}

/** For a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

interface NewSecretProps {
  /** `The new key` */
  readonly title: string;
  /** Whose it is. */
  readonly name: string;
  /** What the button says that it copies: `the key`. */
  readonly what: string;
  readonly text: string;
  readonly onClose: () => void;
}

/** A secret that the service tells this once. */
export function NewSecret({ title, name, what, text, onClose }: NewSecretProps) {
  return (
    <div class="card shown-once" role="status">
      <h3>{title}</h3>
      <p>Copy it now. It is not shown again.</p>
      <Command name={name} what={what} text={text} />
      <Button label="Done" onClick={onClose} />
    </div>
  );
}
