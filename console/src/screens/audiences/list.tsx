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
import { Empty, Ready } from '../../parts/loading/states.tsx';
import { ScreenPage } from '../../parts/page.tsx';
import { Table } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { useAnswer } from '../../parts/loading/use-load.ts';
import { changeOfDay, changeText, isOfBefore, refreshText, seriesOf, stateOf } from './state.ts';
import { isUpdating } from './updates.ts';

/** As many as a project has, unless it was given more. */
const PAGE = 100;
/** A week of sizes, and the day before it. */
const DAYS = 8;

export function AudienceList() {
  const cursor = address.value.query.get('cursor') ?? undefined;
  const loaded = useAnswer(operation('GET /v1/audiences', { query: { limit: PAGE, cursor, sizes: DAYS } }));
  return (
    <ScreenPage
      title="Audiences"
      actions={
        <>
          {mayChangeAudiences.value && <NewAudience />}
          <CopyAs request={operation('GET /v1/audiences')} tidemark={['audience', 'list']} />
        </>
      }
    >
      <Ready of={loaded} what="audiences">
        {(page) => <Found page={page} isFirst={cursor === undefined} />}
      </Ready>
    </ScreenPage>
  );
}

function NewAudience() {
  return (
    <a class="button primary" href={linkTo(['audiences', 'new'])}>
      New audience
    </a>
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
        <label class="text">
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
          <Row key={audience.id} audience={audience} />
        ))}
      </Table>
      <Pager next={next} />
    </>
  );
}

function NoAudiences() {
  return (
    <Empty title="No audiences yet" action={mayChangeAudiences.value && <NewAudience />}>
      An audience is a group of users with something in common: those who ordered for more than 100 in the last 30 days.
      It shows how many there are, who joins and who leaves.
      {!mayChangeAudiences.value && ' Your key reads audiences; a key with the permission audiences makes them.'}
    </Empty>
  );
}

function Row({ audience }: { readonly audience: SavedAudience }) {
  const { id, name, description, evaluation, refresh, sizes = [] } = audience;
  const state = stateOf(audience, Date.now(), isUpdating(id));
  const change = changeOfDay(sizes, Date.now());
  const series = seriesOf(sizes, Date.now(), STEP_MS, STEPS);
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
