/** The audience builder: `#/audiences/new`, with `?definition=JSON`, and `#/audiences/{id}/edit`. */
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import './builder.css';
import { type Json, jsonText } from '../../api/json.ts';
import { operation } from '../../api/client.ts';
import type { SavedAudience } from '../../api/types.ts';
import { address, linkTo, parameter, setParameters } from '../../api/address.ts';
import { Loading, Ready, useAnswer } from '../../parts/loading/use-load.tsx';
import { ScreenPage } from '../../parts/page.tsx';
import { Builder } from './builder.ts';
import { Samples, TestUser } from './builder-users.tsx';
import { ConditionTree } from './condition-tree.tsx';
import { Head } from './head.tsx';
import { jsonChoice, JsonPane } from './json-pane.tsx';
import { ResultBar } from './result-bar.tsx';
import { AddMenu } from './add-menu.tsx';
import { numberOf } from './json-edit.ts';
import { sentenceOf, treeOf } from './tree.ts';
import { jsonIn } from './json-text.ts';

export function BuilderScreen({ id }: { readonly id?: string }) {
  const loaded = useAnswer(id === undefined ? undefined : operation('GET /v1/audiences/{id}', { path: { id } }));
  if (id === undefined || loaded.value !== undefined) return <Opened saved={loaded.value} />;
  return (
    <ScreenPage title="Audience" up={{ path: 'audiences', name: 'Audiences' }}>
      <Ready of={loaded} what="the audience">
        {() => null}
      </Ready>
    </ScreenPage>
  );
}

function Opened({ saved }: { readonly saved: SavedAudience | undefined }) {
  const builder = useMemo(() => new Builder(jsonIn(addressed()) ?? saved?.definition, saved), []);
  useService(builder);
  useUndoKeys(builder);
  const { document, error } = builder.draft.value;
  const root = builder.root.value;
  // What is not JSON can be corrected there alone.
  const isJsonOpen = jsonChoice.value === 'open' || error !== undefined;
  return (
    <div class="screen builder">
      <p class="up">
        <a href={linkTo(['audiences'])}>Audiences</a>
      </p>
      <Head builder={builder} />
      <ResultBar builder={builder} />
      <div class={`panes ${isJsonOpen ? 'with-json' : ''}`}>
        <section class="pane-tree" aria-label="Conditions">
          {root === undefined ? <Starts builder={builder} /> : <ConditionTree builder={builder} root={root} />}
        </section>
        {isJsonOpen && (
          <section class="pane-json" aria-label="JSON">
            <JsonPane builder={builder} />
          </section>
        )}
      </div>
      {document !== undefined && (
        <div class="builder-users">
          <Samples builder={builder} />
          <TestUser builder={builder} />
        </div>
      )}
    </div>
  );
}

/** The text of the definition in the address. */
function addressed(): string {
  return address.peek().query.get('definition') ?? '';
}

/** Asks the service, and keeps the address, whenever the document has changed; follows the address where it was changed. */
function useService(builder: Builder): void {
  const { document } = builder.draft.value;
  const text = document === undefined ? '' : jsonText(document);
  const saved = builder.saved.value?.definition;
  const shown = saved !== undefined && jsonText(saved) === text ? '' : text;
  const inAddress = parameter('definition') ?? '';
  const written = useRef<string | undefined>(undefined);
  useEffect(() => {
    builder.catalog.load();
    return () => {
      builder.catalog.close();
      builder.counting.close();
    };
  }, [builder]);
  useEffect(() => {
    builder.counting.ask(builder.draft.peek().document);
    // An address that was changed by a link or by Back meanwhile is followed, below, not overwritten.
    if (written.current !== undefined && written.current !== addressed()) return;
    written.current = shown;
    setParameters({ definition: shown });
  }, [text, shown, builder]);
  useEffect(() => {
    // Not what was shown: the document may be further by now, and is not to be put back.
    if (addressed() === written.current) return;
    written.current = addressed();
    builder.follow(jsonIn(addressed()));
  }, [inAddress]);
}

/** Ctrl-Z and Ctrl-Shift-Z, or Ctrl-Y, in whatever field of the builder; dialogs have their own. */
function useUndoKeys(builder: Builder): void {
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const key = event.key.toLowerCase();
      const isElsewhere = event.target instanceof Element && event.target.closest('dialog, form input') !== null;
      if (!(event.ctrlKey || event.metaKey) || event.altKey || isElsewhere) return;
      if (key !== 'z' && key !== 'y') return;
      event.preventDefault();
      if (key === 'y' || event.shiftKey) builder.redo();
      else builder.undo();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [builder]);
}

/** What a new audience begins with: sentences about the project's own events. */
function Starts({ builder }: { readonly builder: Builder }) {
  const events = builder.catalog.events.value;
  if (events === undefined) return <Loading what="the names of events" />;
  const starts = startsWith(events.names.map(({ path }) => path[0] ?? ''));
  const begin = (definition: Json): void => builder.change({ document: definition, focus: [] });
  return (
    <div class="starts">
      <h2>{starts.length > 0 ? 'Start from an example' : 'Who is it about?'}</h2>
      <p class="quiet">
        {starts.length > 0
          ? 'You can change every part of it afterwards.'
          : 'No events yet. You can build an audience all the same.'}
      </p>
      <ul>
        {starts.map((definition) => {
          const text = textOf(definition);
          return (
            <li key={text}>
              <button type="button" data-row onClick={() => begin(definition)}>
                <span>
                  Users who <b>{text}</b>
                </span>
                <svg viewBox="0 0 16 16" aria-hidden="true">
                  <path d="M6 3l5 5-5 5" />
                </svg>
              </button>
            </li>
          );
        })}
      </ul>
      <div class="row">
        <span class="quiet">Start blank:</span>
        <AddMenu builder={builder} />
      </div>
    </div>
  );
}

/** Active users, regular users and users who did not come back: each example of an event of its own, the most frequent first. */
export function startsWith(events: readonly string[]): readonly Json[] {
  const examples = [
    (event: string) => ({ event, within: { last: '7d' } }),
    (event: string) => ({ event, count: { at_least: numberOf('3') ?? '' }, within: { last: '30d' } }),
    (event: string) => ({ event, not_followed_by: { event: { any: true }, within: '14d' }, which: 'last' }),
  ];
  return events.slice(0, examples.length).flatMap((event, index) => examples[index]?.(event) ?? []);
}

function textOf(definition: Json): string {
  const root = treeOf(definition);
  return root.kind === 'group' ? root.parts.map((part) => sentenceOf(part)).join(' and ') : sentenceOf(root);
}
