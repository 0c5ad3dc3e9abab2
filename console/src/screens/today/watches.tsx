/** The numbers that call, and how they are; nothing where the project has none. */
import { ask, operation } from '../../api/client.ts';
import { mayChangeAudiences } from '../../api/session.ts';
import type { Watch } from '../../api/types.ts';
import { ChangeButton } from '../../parts/loading/change.tsx';
import { POLL_MS, useAnswer } from '../../parts/loading/use-load.tsx';
import { grouped } from '../../parts/numbers.ts';
import { Listing } from '../../parts/table.tsx';
import { StateMark } from '../job-state.tsx';
import { Ago } from '../../parts/time.tsx';

export function WatchList() {
  const { value, retry } = useAnswer(operation('GET /v1/watches'), POLL_MS.idle);
  if (value === undefined || value.watches.length === 0) return null;
  const columns = [
    { name: 'Name', cell: ({ name }: Watch) => name },
    { name: 'State', cell: (watch: Watch) => <State watch={watch} /> },
    { name: 'Number', look: 'number', cell: ({ value: last }: Watch) => last && grouped(last.rawJSON) },
    { name: 'Delete', isHidden: true, cell: ({ name }: Watch) => <Delete name={name} onDone={retry} /> },
  ];
  return (
    <section class="card today-card" aria-labelledby="watches">
      <h2 id="watches">Watches</h2>
      <Listing
        rows={value.watches}
        keyOf={({ name }) => name}
        columns={mayChangeAudiences.value ? columns : columns.slice(0, 3)}
      />
    </section>
  );
}

const WATCH_STATES = {
  ok: { text: 'All well', tone: 'good' },
  waiting: { text: 'Not counted yet', tone: '' },
  raised: { text: 'Calls', tone: 'bad' },
};

function State({ watch: { state, raised_at: since, failure } }: { readonly watch: Watch }) {
  if (failure !== null) return <StateMark text={`Not counted: ${failure}`} tone="warn" />;
  return (
    <>
      <StateMark {...WATCH_STATES[state]} />{' '}
      {since !== null && (
        <span class="quiet">
          since <Ago at={since} />
        </span>
      )}
    </>
  );
}

function Delete({ name, onDone }: { readonly name: string; readonly onDone: () => void }) {
  const change = async (): Promise<void> =>
    ask(operation('DELETE /v1/watches/{name}', { path: { name } })).then(onDone);
  return <ChangeButton label="Delete" look="plain" aria-label={`Delete the watch ${name}`} change={change} />;
}
