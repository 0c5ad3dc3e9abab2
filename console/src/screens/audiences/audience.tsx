/** One audience: who is meant, how it is, and its members, changes, size and versions. */
import { useState } from 'preact/hooks';
import { type ApiError, ask } from '../../api/client.ts';
import { operation } from '../../../../schemas/operations.ts';
import type { SavedAudience } from '../../api/types.ts';
import { countOf } from '../../api/json.ts';
import { linkTo } from '../../frame/router.ts';
import { mayChangeAudiences } from '../../frame/session.ts';
import { CopyAs } from '../../parts/copy-as.tsx';
import { count } from '../../parts/numbers.ts';
import { Sentences } from '../../parts/conditions/sentence-view.tsx';
import { Empty, Loading, Problem } from '../../parts/loading/states.tsx';
import { tabLinks, tabOf, Tabs } from '../../parts/tabs.tsx';
import { Ago } from '../../parts/time.tsx';
import { useAnswer } from '../../parts/loading/use-load.ts';
import { Changes } from './changes.tsx';
import { DeleteButton } from './delete-button.tsx';
import { Members } from './members.tsx';
import { RefreshChoice } from './refresh-choice.tsx';
import { Size } from './size.tsx';
import { changeOfDay, changeText, refreshText, stateOf } from './state.ts';
import { Versions } from './versions.tsx';

const TABS = [
  { name: '', title: 'Members' },
  { name: 'changes', title: 'Who entered and left' },
  { name: 'size', title: 'Size over time' },
  { name: 'versions', title: 'Versions' },
] as const;

export function AudiencePage({ id }: { readonly id: string }) {
  const loaded = useAnswer(operation('GET /v1/audiences/{id}', { path: { id } }));
  const [changed, setChanged] = useState<SavedAudience>();
  const audience = changed ?? (loaded.state === 'ready' ? loaded.value : undefined);
  return (
    <div class="screen">
      <p class="up">
        <a href={linkTo(['audiences'])}>Audiences</a>
      </p>
      {audience === undefined && (
        <div class="head">
          <h1>Audience</h1>
        </div>
      )}
      {audience !== undefined && <Known audience={audience} onChange={setChanged} />}
      {audience === undefined && loaded.state === 'loading' && <Loading what="the audience" />}
      {loaded.state === 'failed' && <NotShown error={loaded.error} retry={loaded.retry} />}
    </div>
  );
}

function NotShown({ error, retry }: { readonly error: ApiError; readonly retry: () => void }) {
  if (error.status !== 404) return <Problem error={error} retry={retry} />;
  return (
    <Empty title="There is no such audience">
      <p>
        It may have been deleted, or be of another project. <a href={linkTo(['audiences'])}>See those that there are</a>
        .
      </p>
    </Empty>
  );
}

interface KnownProps {
  readonly audience: SavedAudience;
  readonly onChange: (audience: SavedAudience) => void;
}

function Known({ audience, onChange }: KnownProps) {
  const path = { id: audience.id };
  const asked = operation('GET /v1/audiences/{id}', { path });
  const [error, setError] = useState<ApiError>();
  const change = (next: SavedAudience): void => {
    setError(undefined);
    onChange(next);
  };
  const refresh = (): void => {
    void ask(asked).then(change, setError);
  };
  const tab = tabOf(TABS);
  // Whatever changes the audience, or counts it, changes what is below.
  const key = `${audience.revision.rawJSON} ${audience.evaluation?.at}`;
  return (
    <>
      <div class="head">
        <h1>{audience.name}</h1>
        <div class="row actions">
          {mayChangeAudiences.value && (
            <>
              <CountNow id={audience.id} onChange={change} onError={setError} />
              <a class="button" href={linkTo(['audiences', audience.id, 'edit'])}>
                Edit
              </a>
              <DeleteButton audience={audience} />
            </>
          )}
          <CopyAs
            request={asked}
            tidemark={['audience', 'show', audience.id]}
            explain={operation('GET /v1/audiences/{id}/explain', { path })}
          />
        </div>
      </div>
      {error !== undefined && <Problem error={error} retry={refresh} />}
      <Facts audience={audience} onChange={change} onError={setError} />
      <section class="card definition" aria-labelledby="definition">
        <h2 id="definition">Who is in it</h2>
        <Sentences description={audience.description} />
      </section>
      <Tabs label="About this audience" tabs={tabLinks(TABS)} />
      {tab === '' && <Members key={key} audience={audience} />}
      {tab === 'changes' && <Changes key={key} audience={audience} onCounted={refresh} />}
      {tab === 'size' && <Size key={key} audience={audience} />}
      {tab === 'versions' && <Versions key={key} audience={audience} />}
    </>
  );
}

interface CountNowProps {
  readonly id: string;
  readonly onChange: (audience: SavedAudience) => void;
  readonly onError: (error: ApiError) => void;
}

function CountNow({ id, onChange, onError }: CountNowProps) {
  const [isCounting, setCounting] = useState(false);
  const evaluate = (): void => {
    setCounting(true);
    void ask(operation('POST /v1/audiences/{id}/evaluate', { path: { id } }))
      .then(onChange, onError)
      .finally(() => setCounting(false));
  };
  return (
    <button type="button" disabled={isCounting} onClick={evaluate}>
      {isCounting ? 'Counting…' : 'Count now'}
    </button>
  );
}

interface FactsProps extends KnownProps {
  readonly onError: (error: ApiError) => void;
}

function Facts({ audience, onChange, onError }: FactsProps) {
  const { evaluation, refresh } = audience;
  const state = stateOf(audience, Date.now());
  return (
    <>
      {state.reason !== undefined && (
        <p class="notice" role="status">
          <b>{state.text}.</b> {state.reason}
        </p>
      )}
      <dl class="facts wide-facts">
        <div>
          <dt>Size</dt>
          <dd class="size">
            {evaluation === null ? <span class="quiet">not counted</span> : count(countOf(evaluation.members))}
          </dd>
        </div>
        <div>
          <dt>Since yesterday</dt>
          <dd>
            <OfDay id={audience.id} key={evaluation?.at} />
          </dd>
        </div>
        <div>
          <dt>Last counted</dt>
          <dd>{evaluation === null ? <span class="quiet">never</span> : <Ago at={evaluation.at} />}</dd>
        </div>
        <div>
          <dt>Counted</dt>
          <dd>
            {mayChangeAudiences.value ? (
              <RefreshChoice audience={audience} onChange={onChange} onError={onError} />
            ) : (
              refreshText(refresh)
            )}
          </dd>
        </div>
      </dl>
    </>
  );
}

function OfDay({ id }: { readonly id: string }) {
  const query = { per: 'hour', limit: 48 } as const;
  const loaded = useAnswer(operation('GET /v1/audiences/{id}/history', { path: { id }, query }));
  const change = loaded.state === 'ready' ? changeOfDay(loaded.value.history, Date.now()) : undefined;
  if (change !== undefined) return <>{changeText(change)}</>;
  return <span class="quiet">{loaded.state === 'ready' ? 'not counted then' : '–'}</span>;
}
