/** `#/audiences`, `#/audiences/new`, `#/audiences/{id}` and `#/audiences/{id}/edit`. */
import { operation } from '../../api/client.ts';
import type { SavedAudience } from '../../api/types.ts';
import { address, linkTo, parameter } from '../../api/address.ts';
import { FilterField } from '../../parts/choice.tsx';
import { counted, HOUR_MS } from '../../parts/numbers.ts';
import { SentenceOf } from '../../parts/conditions/sentence-view.tsx';
import { Sparkline } from '../../parts/charts/sparkline.tsx';
import { ScreenPage } from '../../parts/page.tsx';
import { type CellColumn, Listing, RowLink } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { Ready, useAnswer } from '../../parts/loading/use-load.tsx';
import { changeOfDay, changeText, isOfBefore, refreshText, seriesOf, stateOf } from './state.ts';
import { NewAudience, NoAudiences } from './audience-buttons.tsx';
import { Tags } from './summary.tsx';
import { isUpdating } from './updates.ts';
import { BuilderScreen } from '../builder/builder-screen.tsx';
import { AudiencePage } from './audience.tsx';
import { ListScreen } from './list-screen.tsx';
import './audiences.css';

/** A week of sizes, and the day before it. */
const DAYS = 8;

function AudienceList() {
  const [wanted = '', cursor, tag] = ['name', 'cursor', 'tag'].map(parameter);
  const loaded = useAnswer(operation('GET /v1/audiences', { query: { limit: 100, cursor, sizes: DAYS, tag } }));
  return (
    <ScreenPage
      title="Audiences"
      actions={<NewAudience />}
      copy={{
        request: operation('GET /v1/audiences', { query: { tag } }),
        tidemark: ['audience', 'list', ...(tag === undefined ? [] : ['--tag', tag])],
      }}
    >
      {tag !== undefined && (
        <p class="row below">
          <span class="badge tag">{tag}</span>
          <a href={linkTo(['audiences'])}>Show all</a>
        </p>
      )}
      <Ready of={loaded} what="audiences">
        {({ audiences, next_cursor: next }) =>
          audiences.length === 0 && next === null && (cursor ?? tag) === undefined ? (
            <NoAudiences />
          ) : (
            <>
              {audiences.length > 8 && <FilterField name="name" label="Name" look="text" isSearch />}
              <Listing
                look="audiences"
                rows={audiences.filter(({ name }) => name.toLowerCase().includes(wanted.toLowerCase()))}
                keyOf={({ id }) => id}
                columns={AUDIENCE_COLUMNS}
                none={
                  <p class="quiet">{wanted === '' ? 'No audience has this tag.' : 'No audience matches this name.'}</p>
                }
                next={next}
              />
            </>
          )
        }
      </Ready>
    </ScreenPage>
  );
}

const AUDIENCE_COLUMNS: readonly CellColumn<SavedAudience>[] = [
  {
    name: 'Audience',
    cell: ({ id, name, tags, description }) => (
      <>
        <RowLink link={linkTo(['audiences', id])}>{name}</RowLink>
        <Tags tags={tags} />
        <SentenceOf description={description} />
      </>
    ),
  },
  {
    name: 'Size',
    look: 'number size',
    cell: (audience) => (
      <span class={isOfBefore(audience) ? 'quiet' : ''}>
        {audience.evaluation === null ? '–' : counted(audience.evaluation.members)}
      </span>
    ),
  },
  { name: 'Change, 24 h', look: 'number narrow-off', cell: changeCell },
  { name: 'Last 7 days', look: 'days narrow-off', cell: weekCell },
  { name: 'Updates', look: 'quiet narrow-off', cell: ({ refresh }) => refreshText(refresh) },
  { name: 'State', cell: stateCell },
];

function changeCell({ sizes = [] }: SavedAudience) {
  const change = changeOfDay(sizes, Date.now());
  if (change === undefined) return <span class="quiet">–</span>;
  return <span class={change === 0 ? 'quiet' : ''}>{changeText(change)}</span>;
}

function weekCell({ sizes = [] }: SavedAudience) {
  const series = seriesOf(sizes, Date.now(), STEP_MS, STEPS);
  return series.length > 1 ? <Sparkline values={series} room={STEPS} label="Size in the last 7 days" /> : null;
}

function stateCell(audience: SavedAudience) {
  const { is, reason, text } = stateOf(audience, Date.now(), isUpdating(audience.id));
  return (
    <>
      <span class={`status ${is}`} title={reason}>
        <i class="dot" aria-hidden="true" />
        {text}
      </span>
      <span class="quiet small">
        {text === 'Live' && 'last change '}
        {audience.evaluation !== null && <Ago at={audience.evaluation.at} isPlain />}
      </span>
    </>
  );
}

const STEP_MS = 4 * HOUR_MS;
const STEPS = 43;

export function AudiencesScreen() {
  const [, id, view] = address.value.path;
  if (id === undefined) return <AudienceList />;
  if (id === 'new') return <BuilderScreen key="new" />;
  if (id === 'from-file') return <ListScreen />;
  if (view === 'file') return <ListScreen key={id} id={id} />;
  return view === 'edit' ? <BuilderScreen key={id} id={id} /> : <AudiencePage key={id} id={id} />;
}
