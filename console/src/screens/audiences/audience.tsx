/** One audience: how large it is, who is meant, and its members, changes, past and use. */
import { useEffect, useState } from 'preact/hooks';
import { type ApiError, ask } from '../../api/client.ts';
import { operation } from '../../../../schemas/operations.ts';
import { jsonText } from '../../api/json.ts';
import type { SavedAudience } from '../../api/types.ts';
import { linkTo } from '../../frame/router.ts';
import { mayChangeAudiences } from '../../frame/session.ts';
import { Empty, Loading, Problem } from '../../parts/loading/states.tsx';
import { usePoll } from '../../parts/loading/use-poll.ts';
import { tabLinks, tabOf, Tabs } from '../../parts/tabs.tsx';
import { Changes } from './changes.tsx';
import { DeleteButton } from './delete-button.tsx';
import { Members } from './members.tsx';
import { Size } from './size.tsx';
import { stateOf } from './state.ts';
import { Summary } from './summary.tsx';
import { isUpdating } from './updates.ts';
import { UseIt } from './use-it.tsx';
import { Versions } from './versions.tsx';

const TABS = [
  { name: '', title: 'Members' },
  { name: 'changes', title: 'Changes' },
  { name: 'history', title: 'History' },
  { name: 'use', title: 'Use it' },
] as const;

const POLL_MS = 15_000;
const COUNTING_POLL_MS = 1_000;

export function AudiencePage({ id }: { readonly id: string }) {
  const request = operation('GET /v1/audiences/{id}', { path: { id } });
  const isRunning = isUpdating(id);
  const {
    value: audience,
    error,
    refresh,
  } = usePoll(
    id,
    async (signal) => ask({ ...request, signal }),
    (found) => (stateOf(found, Date.now(), isRunning).isCounting === true ? COUNTING_POLL_MS : POLL_MS),
  );
  useEffect(() => {
    if (audience !== undefined) refresh();
  }, [isRunning]);
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
      {error !== undefined && <NotShown error={error} retry={refresh} />}
      {audience === undefined && error === undefined && <Loading what="the audience" />}
      {audience !== undefined && <Known audience={audience} onChange={refresh} />}
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
  /** Told when it was changed, or counted. */
  readonly onChange: () => void;
}

function Known({ audience, onChange }: KnownProps) {
  const { id, name, definition } = audience;
  const [error, setError] = useState<ApiError>();
  const retry = (): void => {
    setError(undefined);
    onChange();
  };
  const tab = tabOf(TABS);
  // Whatever changes the audience, or counts it, changes what is below.
  const key = `${audience.revision.rawJSON} ${audience.evaluation?.at}`;
  const copy = { definition: jsonText(definition), name: `${name} (copy)` };
  return (
    <>
      <div class="head">
        <h1>{name}</h1>
        {mayChangeAudiences.value && (
          <div class="row actions">
            <a class="button" href={linkTo(['audiences', id, 'edit'])}>
              Edit
            </a>
            <a class="button" href={linkTo(['audiences', 'new'], copy)}>
              Duplicate
            </a>
            <DeleteButton audience={audience} />
          </div>
        )}
      </div>
      {error !== undefined && <Problem error={error} retry={retry} />}
      <Summary audience={audience} onChange={retry} onError={setError} />
      <Tabs label="About this audience" tabs={tabLinks(TABS)} />
      {tab === '' && <Members key={key} audience={audience} />}
      {tab === 'changes' && <Changes key={key} audience={audience} onCounted={onChange} />}
      {tab === 'history' && (
        <>
          <Size key={key} audience={audience} />
          <Versions key={`versions ${key}`} audience={audience} />
        </>
      )}
      {tab === 'use' && <UseIt audience={audience} />}
    </>
  );
}
