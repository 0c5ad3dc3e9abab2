import { countOf } from '../../api/json.ts';
import { operation } from '../../../../schemas/operations.ts';
import type { AudiencePage, SavedAudience } from '../../api/types.ts';
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
import { Tags } from './labels.tsx';
import { isUpdating } from './updates.ts';

/** As many as a project has, unless it was given more. */
const PAGE = 100;
/** A week of sizes, and the day before it. */
const DAYS = 8;

export function AudienceList() {
  const cursor = address.value.query.get('cursor') ?? undefined;
  const tag = address.value.query.get('tag') ?? undefined;
  const loaded = useAnswer(operation('GET /v1/audiences', { query: { limit: PAGE, cursor, sizes: DAYS, tag } }));
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
          <CopyAs
            request={operation('GET /v1/audiences', { query: { tag } })}
            tidemark={['audience', 'list', ...(tag === undefined ? [] : ['--tag', tag])]}
          />
        </div>
      </div>
      {tag !== undefined && (
        <p class="row below">
          <span class="badge tag">{tag}</span>
          <a href={linkTo(['audiences'])}>Show all</a>
        </p>
      )}
      {loaded.state === 'loading' && <Loading what="audiences" />}
      {loaded.state === 'failed' && <Problem error={loaded.error} retry={loaded.retry} />}
      {loaded.state === 'ready' && <Found page={loaded.value} isFirst={cursor === undefined && tag === undefined} />}
    </div>
  );
}

const COLUMNS = [
  { name: 'Audience' },
  { name: 'Size', look: 'number' },
  { name: 'Change, 24 h', look: 'number narrow-off' },
  { name: 'Last 7 days', look: 'days narrow-off' },
  { name: 'Updates', look: 'narrow-off' },
  { name: 'State' },
];

interface FoundProps {
  readonly page: AudiencePage;
  readonly isFirst: boolean;
}

function Found({ page: { audiences, next_cursor: next }, isFirst }: FoundProps) {
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
      {shown.length === 0 && (
        <p class="quiet">{wanted === '' ? 'No audience has this tag.' : 'No audience has this in its name.'}</p>
      )}
      <Table look="audiences" columns={COLUMNS}>
        {shown.map((audience) => (
          <Row key={audience.id} audience={audience} />
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

function Row({ audience }: { readonly audience: SavedAudience }) {
  const { id, name, tags, description, evaluation, refresh, sizes = [] } = audience;
  const state = stateOf(audience, Date.now(), isUpdating(id));
  const change = changeOfDay(sizes, Date.now());
  const series = seriesOf(sizes, Date.now(), STEP_MS, STEPS);
  return (
    <tr>
      <th scope="row">
        <a class="cover" data-row href={linkTo(['audiences', id])}>
          {name}
        </a>
        <Tags tags={tags} />
        <SentenceOf description={description} />
      </th>
      <td class={`number size ${isOfBefore(audience) ? 'quiet' : ''}`}>
        {evaluation === null ? '–' : count(countOf(evaluation.members))}
      </td>
      <td class={`number narrow-off ${change === undefined || change === 0 ? 'quiet' : ''}`}>
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
