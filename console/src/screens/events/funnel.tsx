/** How many users did one event after the other. The question is in the address: `sequence` and `by`, a trait. */
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { operation } from '../../api/client.ts';
import { address, parameter, setParameters } from '../../api/address.ts';
import { isObject, type Json, type JsonObject, jsonText, parseJson } from '../../api/json.ts';
import type { Funnel } from '../../api/types.ts';
import { Choice } from '../../parts/choice.tsx';
import { Empty, Loading, Problem, useAnswer, useLatest } from '../../parts/loading/use-load.tsx';
import { ScreenPage } from '../../parts/page.tsx';
import { Builder } from '../builder/builder.ts';
import { useFocus } from '../builder/condition-tree.tsx';
import { namesIn } from '../builder/sentences/event-names.ts';
import { laterEvent, MOST_STEPS, nextStep, stepsFrom } from '../builder/sentences/sequence-phrases.ts';
import { add, AddButton } from '../builder/sentences/piece-view.tsx';
import { FunnelStep, FunnelTable } from './funnel-step.tsx';
import './funnel.css';
import { jsonIn } from '../builder/json-text.ts';

const AFTER_MS = 400;

export function FunnelPage() {
  const builder = useMemo(() => new Builder(sequenceIn(address.peek().query), undefined), []);
  useAddress(builder);
  useStart(builder);
  const { document } = builder.draft.value;
  const [sequence, by] = [parameter('sequence'), parameter('by')];
  const body = sequence === undefined ? undefined : bodyOf(sequence, by);
  const request = body === undefined ? undefined : operation('POST /v1/funnels', { body });
  const loaded = useAnswer(request);
  const { value: latest } = useLatest(loaded);
  const card = useRef<HTMLElement>(null);
  useFocus(builder, card);
  return (
    <ScreenPage title="Funnel" up={{ path: 'events', name: 'Events' }} copy={request && { request }}>
      <p class="seen quiet">Users who did one thing, and then the next. Those who went no further are an audience.</p>
      {document === undefined ? (
        <NotYet builder={builder} />
      ) : (
        <section class="card funnel" aria-label="Steps" ref={card} aria-busy={loaded.value === undefined}>
          <StepList builder={builder} answer={latest} />
          <div class="filters">
            <ByChoice builder={builder} by={by} />
          </div>
        </section>
      )}
      {loaded.error !== undefined && <Problem error={loaded.error} retry={loaded.retry} />}
      {by !== undefined && latest !== undefined && <FunnelTable answer={latest} by={by} />}
    </ScreenPage>
  );
}

function NotYet({ builder }: { readonly builder: Builder }) {
  if (builder.catalog.events.value === undefined) return <Loading what="the names of events" />;
  return (
    <Empty title="No events yet">A funnel is of events. One appears here within a minute after it was sent.</Empty>
  );
}

function StepList({ builder, answer }: { readonly builder: Builder; readonly answer: Funnel | undefined }) {
  const steps = stepsFrom([], builder.document);
  const [last = []] = steps.at(-1) ?? [];
  const names = steps.flatMap(([, step]) => namesIn(step['event']));
  return (
    <>
      <ol>
        {steps.map(([at], index) => (
          <FunnelStep key={at.length} builder={builder} steps={steps} index={index} answer={answer} />
        ))}
      </ol>
      {steps.length < MOST_STEPS && (
        <AddButton
          addition={nextStep([...last, 'followed_by'], names)}
          onAdd={(addition) => void add(builder, addition)}
        />
      )}
    </>
  );
}

function ByChoice({ builder, by }: { readonly builder: Builder; readonly by: string | undefined }) {
  const traits = (builder.catalog.traits.value?.names ?? []).flatMap(({ path: [name = ''], path }) =>
    path.length === 1 ? [[name, name] as const] : [],
  );
  return (
    <Choice
      label="By a trait"
      value={by ?? ''}
      options={[['', 'None'], ...traits]}
      onChoice={(name) => setParameters({ by: name }, { push: true })}
    />
  );
}

function sequenceIn(query: URLSearchParams): Json | undefined {
  const sequence = jsonIn(query.get('sequence') ?? '');
  return isObject(sequence) ? sequence : undefined;
}

/** The body of the question; undefined while a name is missing. */
function bodyOf(text: string, by: string | undefined): string | undefined {
  const sequence = jsonIn(text);
  if (!isObject(sequence)) return undefined;
  const isWhole = stepsFrom([], sequence).every(([, { event }]) => event !== '');
  const split = by === undefined ? {} : { split: { trait: by, top: parseJson('8') } };
  return isWhole ? jsonText({ sequence, ...split }) : undefined;
}

/** Keeps the address a moment after the last change, and follows it where it was changed by a link or by Back. */
function useAddress(builder: Builder): void {
  const { document } = builder.draft.value;
  const text = document === undefined ? undefined : jsonText(document);
  const inAddress = parameter('sequence');
  const written = useRef(inAddress);
  useEffect(() => {
    if (text === undefined) return undefined;
    const timer = setTimeout(() => {
      written.current = text;
      setParameters({ sequence: text });
    }, AFTER_MS);
    return () => clearTimeout(timer);
  }, [text]);
  useEffect(() => {
    if (inAddress === written.current) return;
    written.current = inAddress;
    builder.follow(sequenceIn(address.peek().query));
  }, [inAddress]);
}

/** Begins with the two most frequent events. */
function useStart(builder: Builder): void {
  const { document } = builder.draft.value;
  const names = builder.catalog.events.value?.names.map(({ path: [name = ''] }) => name);
  useEffect(() => {
    builder.catalog.load();
    return () => builder.catalog.close();
  }, [builder]);
  useEffect(() => {
    const [event] = names ?? [];
    if (document === undefined && names !== undefined && event !== undefined)
      builder.change({ document: start(event, names) });
  }, [document === undefined, names?.length]);
}

function start(event: string, names: readonly string[]): JsonObject {
  const { event: other, ...later } = laterEvent([event], names);
  return {
    event,
    within: { last: '30d' },
    followed_by: { event: other === '' ? { any: true } : (other ?? ''), ...later },
  };
}
