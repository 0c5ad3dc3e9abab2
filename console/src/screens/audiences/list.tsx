import { useEffect, useState } from 'preact/hooks';
import { ApiError, ask } from '../../api/client.ts';
import { countOf } from '../../api/json.ts';
import { operation } from '../../../../schemas/operations.ts';
import type { AudiencePage, HistoryEntry, SavedAudience } from '../../api/types.ts';
import { mayChangeAudiences } from '../../frame/session.ts';
import { address, linkTo, setParameters } from '../../frame/router.ts';
import { CopyAs } from '../../parts/copy-as.tsx';
import { count } from '../../parts/numbers.ts';
import { Pager } from '../../parts/loading/pager.tsx';
import { SentenceOf } from '../../parts/conditions/sentence-view.tsx';
import { Sparkline } from '../../parts/charts/sparkline.tsx';
import { Empty, Loading, Problem } from '../../parts/loading/states.tsx';
import { Table } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { useAnswer } from '../../parts/loading/use-load.ts';
import { useRowKeys } from '../../parts/loading/use-rows.ts';
import { changeOfDay, changeText, isOfBefore, refreshText, seriesOf, stateOf } from './state.ts';
import { isUpdating } from './updates.ts';

/** As many as a project has, unless it was given more. */
const PAGE = 100;

export function AudienceList() {
  const cursor = address.value.query.get('cursor') ?? undefined;
  const loaded = useAnswer(operation('GET /v1/audiences', { query: { limit: PAGE, cursor } }));
  useRowKeys();
  return (
    <div class="screen">
      <div class="head">
        <h1>Audiences</h1>
        <div class="row actions">
          {mayChangeAudiences.value && (
            <a class="button primary" href={linkTo(['audiences', 'new'])}>
              New audience
            </a>
          )}
          <CopyAs request={operation('GET /v1/audiences')} tidemark={['audience', 'list']} />
        </div>
      </div>
      {loaded.state === 'loading' && <Loading what="audiences" />}
      {loaded.state === 'failed' && <Problem error={loaded.error} retry={loaded.retry} />}
      {loaded.state === 'ready' && <Found page={loaded.value} isFirst={cursor === undefined} />}
    </div>
  );
}

const COLUMNS = [
  { name: 'Audience' },
  { name: 'Size', look: 'number' },
  { name: 'Change, 24 h', look: 'number' },
  { name: 'Last 7 days', look: 'days narrow-off' },
  { name: 'Updates', look: 'narrow-off' },
  { name: 'State' },
];

interface FoundProps {
  readonly page: AudiencePage;
  readonly isFirst: boolean;
}

function Found({ page: { audiences, next_cursor: next }, isFirst }: FoundProps) {
  const histories = useHistories(audiences);
  const wanted = address.value.query.get('name') ?? '';
  const shown = audiences.filter(({ name }) => name.toLowerCase().includes(wanted.toLowerCase()));
  if (audiences.length === 0 && isFirst) return <NoAudiences />;
  return (
    <>
      {audiences.length > 8 && (
        <label class="audience-filter">
          <span class="label">Name</span>
          <input
            type="search"
            value={wanted}
            data-search
            onInput={(event) => setParameters({ name: event.currentTarget.value })}
          />
        </label>
      )}
      {shown.length === 0 && <p class="quiet">No audience has this in its name.</p>}
      <Table look="audiences" columns={COLUMNS}>
        {shown.map((audience) => (
          <Row key={audience.id} audience={audience} history={histories.get(audience.id)} />
        ))}
      </Table>
      <Pager next={next} />
    </>
  );
}

function NoAudiences() {
  return (
    <Empty title="There are no audiences yet">
      <p>
        An audience is a question about users that has a name: who ordered for more than 100 in the last 30 days. It
        says how many they are, who enters and who leaves.
      </p>
      {mayChangeAudiences.value ? (
        <p class="below">
          <a class="button" href={linkTo(['audiences', 'new'])}>
            Make the first one
          </a>
        </p>
      ) : (
        <p class="below">Your key may read audiences. A key with the scope audiences may make them.</p>
      )}
    </Empty>
  );
}

interface RowProps {
  readonly audience: SavedAudience;
  /** Undefined until it is there, and where it could not be asked. */
  readonly history: readonly HistoryEntry[] | undefined;
}

function Row({ audience, history = [] }: RowProps) {
  const { id, name, description, evaluation, refresh } = audience;
  const state = stateOf(audience, Date.now(), isUpdating(id));
  const change = changeOfDay(history, Date.now());
  const series = seriesOf(history, Date.now(), STEP_MS, STEPS);
  return (
    <tr>
      <th scope="row">
        <a class="cover" data-row href={linkTo(['audiences', id])}>
          {name}
        </a>
        <SentenceOf description={description} />
      </th>
      <td class={`number size ${isOfBefore(audience) ? 'quiet' : ''}`}>
        {evaluation === null ? '–' : count(countOf(evaluation.members))}
      </td>
      <td class={`number ${change === undefined || change === 0 ? 'quiet' : ''}`}>
        {change === undefined ? '–' : changeText(change)}
      </td>
      <td class="days narrow-off">
        {series.length > 1 && <Sparkline values={series} room={STEPS} label="Size in the last 7 days" />}
      </td>
      <td class="quiet narrow-off">{refreshText(refresh)}</td>
      <td>
        <span class={`status ${state.is}`} title={state.reason}>
          <i class="dot" aria-hidden="true" />
          {state.text}
        </span>
        <span class="quiet small">{evaluation !== null && <Ago at={evaluation.at} isPlain />}</span>
      </td>
    </tr>
  );
}

const HOUR_MS = 3_600_000;
const STEP_MS = 4 * HOUR_MS;
const STEPS = 43;
/** Requests at a time. */
const AT_ONCE = 4;

/** The last eight days of each, some after the others: the list is there before them. */
function useHistories(audiences: readonly SavedAudience[]): ReadonlyMap<string, readonly HistoryEntry[]> {
  const [histories, setHistories] = useState<ReadonlyMap<string, readonly HistoryEntry[]>>(new Map());
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const ids = audiences.map(({ id }) => id);
    const work = async (): Promise<void> => {
      for (let id = ids.shift(); id !== undefined && !signal.aborted; id = ids.shift()) {
        const history = await historyOf(id, signal);
        if (!signal.aborted) setHistories((known) => new Map([...known, [id, history]]));
      }
    };
    for (let i = 0; i < AT_ONCE; i++) void work();
    return () => controller.abort();
  }, [audiences]);
  return histories;
}

async function historyOf(id: string, signal: AbortSignal): Promise<readonly HistoryEntry[]> {
  const since = new Date(Date.now() - 8 * 24 * HOUR_MS).toISOString();
  const query = { since, per: 'hour', limit: 200 } as const;
  try {
    return (await ask({ ...operation('GET /v1/audiences/{id}/history', { path: { id }, query }), signal })).history;
  } catch (error) {
    // The list says what matters without it.
    if (error instanceof ApiError || signal.aborted) return [];
    throw error;
  }
}
