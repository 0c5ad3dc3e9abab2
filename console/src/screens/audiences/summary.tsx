/** How large an audience is and how that has changed, how fresh it is, and who is meant: in few words, and in all. */
import type { ApiError } from '../../api/client.ts';
import { countOf } from '../../api/json.ts';
import { operation } from '../../../../schemas/operations.ts';
import type { SavedAudience } from '../../api/types.ts';
import { mayChangeAudiences } from '../../api/session.ts';
import { Sparkline } from '../../parts/charts/sparkline.tsx';
import { SentenceOf, Sentences } from '../../parts/conditions/sentence-view.tsx';
import { Facts } from '../../parts/facts.tsx';
import { useAnswer } from '../../parts/loading/use-load.tsx';
import { count, HOUR_MS } from '../../parts/numbers.ts';
import { Ago } from '../../parts/time.tsx';
import { Button } from '../../parts/form.tsx';
import { Labels } from './labels.tsx';
import { RefreshChoice } from './refresh-choice.tsx';
import { changeOfDay, changeText, isOfBefore, refreshText, seriesOf, stateOf } from './state.ts';
import { isUpdating, updateNow } from './updates.ts';
import { Made } from './versions.tsx';

interface SummaryProps {
  readonly audience: SavedAudience;
  readonly onChange: () => void;
  readonly onError: (error: ApiError) => void;
}

export function Summary({ audience, onChange, onError }: SummaryProps) {
  const { id, evaluation, description } = audience;
  const state = stateOf(audience, Date.now(), isUpdating(id));
  const isOld = state.isCounting === true || isOfBefore(audience);
  return (
    <>
      <Labels key={audience.revision.rawJSON} audience={audience} onChange={onChange} />
      {state.reason !== undefined && (
        <p class="notice" role="status">
          <b>{state.text.replace(/\w$/, '$&.')}</b> {state.reason}
        </p>
      )}
      <section class="summary" aria-label="Size">
        <div class={`figure ${isOld ? 'stale' : ''}`}>
          {evaluation === null ? (
            <p class="size">{state.text}</p>
          ) : (
            <>
              <p class="size">
                <b>{count(countOf(evaluation.members))}</b> {countOf(evaluation.members) === 1 ? 'user' : 'users'}
              </p>
              <Month id={id} key={evaluation.at} />
            </>
          )}
        </div>
        <Freshness audience={audience} onChange={onChange} onError={onError} />
        <Meaning description={description} />
      </section>
    </>
  );
}

/** When it was updated, and how often it is. */
function Freshness({ audience, onChange, onError }: SummaryProps) {
  const { id, evaluation, refresh, version } = audience;
  const isRunning = isUpdating(id);
  const isCounting = stateOf(audience, Date.now(), isRunning).isCounting === true;
  return (
    <Facts
      of={{
        Updated: (
          <span class="row">
            {isCounting ? 'Counting…' : evaluation === null ? 'never' : <Ago at={evaluation.at} />}
            {mayChangeAudiences.value && (
              <Button
                label="Update now"
                look="plain"
                disabled={isRunning}
                onClick={() => void updateNow(id).catch(onError)}
              />
            )}
          </span>
        ),
        Updates: mayChangeAudiences.value ? (
          <RefreshChoice audience={audience} onChange={onChange} onError={onError} />
        ) : (
          refreshText(refresh)
        ),
        Definition: <NewestVersion id={id} key={version.rawJSON} />,
      }}
    />
  );
}

/** When the definition was made or changed, and by whom. */
function NewestVersion({ id }: { readonly id: string }) {
  const loaded = useAnswer(operation('GET /v1/audiences/{id}/versions', { path: { id }, query: { limit: 1 } }));
  const newest = loaded.value?.versions[0];
  return newest === undefined ? null : <Made version={newest} />;
}

/** The definition in one sentence; of several conditions, each on its line when it is opened. */
function Meaning({ description }: { readonly description: string }) {
  if (!description.includes('\n')) {
    const isNegated = description.startsWith('not those');
    return (
      <p class="meaning">
        {isNegated ? 'All users but ' : 'Users '}
        <SentenceOf description={isNegated ? description.slice('not '.length) : description} />
      </p>
    );
  }
  return (
    <details class="meaning">
      <summary>
        Users who match <SentenceOf description={description} />
      </summary>
      <Sentences description={description} />
    </details>
  );
}

const STEP_MS = 12 * HOUR_MS;
const STEPS = 60;

/** The change of a day, and the size in the last 30. */
function Month({ id }: { readonly id: string }) {
  const since = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS - STEPS * STEP_MS).toISOString();
  const query = { since, per: 'hour', limit: 1_000 } as const;
  const loaded = useAnswer(operation('GET /v1/audiences/{id}/history', { path: { id }, query }));
  const history = loaded.value?.history ?? [];
  const change = changeOfDay(history, Date.now());
  const values = seriesOf(history, Date.now(), STEP_MS, STEPS);
  return (
    <>
      <p class="small">
        {change !== undefined && (
          <>
            <b class="change">{changeText(change)}</b> <span class="quiet">in 24 hours</span>
          </>
        )}
      </p>
      {values.length > 1 && <Sparkline values={values} room={STEPS} label="Size in the last 30 days" />}
    </>
  );
}
