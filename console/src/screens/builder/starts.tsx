/** What a new audience begins with: sentences about the project's own events. */
import type { Json } from '../../api/json.ts';
import { Loading } from '../../parts/loading/states.tsx';
import { AddMenu } from './add-menu.tsx';
import type { Builder } from './builder.ts';
import { numberOf } from './json-edit.ts';
import { sentenceOf, treeOf } from './tree.ts';

export function Starts({ builder }: { readonly builder: Builder }) {
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
