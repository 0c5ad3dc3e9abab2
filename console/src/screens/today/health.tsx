/** One line: whether the service works, how far the stores are behind, and whether anything is missing. It opens to what wants attention. */
import { countOf } from '../../api/json.ts';
import type { ComponentChildren } from 'preact';
import { operation } from '../../../../schemas/operations.ts';
import type { Attention, ProjectStatus } from '../../api/types.ts';
import { linkTo } from '../../api/address.ts';
import { isAdmin } from '../../api/session.ts';
import { AttentionList, wantsText } from '../../parts/attention.tsx';
import { capital, count } from '../../parts/numbers.ts';
import { Problem } from '../../parts/loading/states.tsx';
import { Ago, minuteText } from '../../parts/time.tsx';
import { POLL_MS, useAnswer } from '../../parts/loading/use-load.tsx';
import { isWell, ReadyParts } from './ready-parts.tsx';

/** @param status Undefined where it is not known yet, or nothing was recorded. */
export function Health({ status }: HealthProps) {
  return isAdmin.value ? <OfInstallation status={status} /> : <OfProcess status={status} />;
}

interface HealthProps {
  readonly status: ProjectStatus | undefined;
}

function OfInstallation({ status }: HealthProps) {
  const { value, error, retry } = useAnswer(operation('GET /v1/admin/status'), POLL_MS.current);
  if (error !== undefined) return <Problem error={error} retry={retry} />;
  if (value === undefined) return null;
  return (
    <HealthLine status={status} wants={value.attention.length}>
      <Wanting items={value.attention} />
    </HealthLine>
  );
}

function OfProcess({ status }: HealthProps) {
  const { value, error, retry } = useAnswer({ ...operation('GET /readyz'), takes: [503] }, POLL_MS.current);
  if (error !== undefined) return <Problem error={error} retry={retry} />;
  if (value === undefined) return null;
  return (
    <HealthLine status={status} wants={Object.values(value.parts).filter((state) => !isWell(state)).length}>
      <ReadyParts parts={value.parts} />
    </HealthLine>
  );
}

interface HealthLineProps extends HealthProps {
  readonly wants: number;
  readonly children: ComponentChildren;
}

function HealthLine({ status, wants, children }: HealthLineProps) {
  return (
    <details class="health" open={wants > 0}>
      <summary>
        <i class={`dot ${wants === 0 ? 'alive' : 'warn'}`} aria-hidden="true" />
        <b>{wantsText(wants)}</b>
        {status !== undefined && (
          <>
            <Behind {...status.lag_seconds} />
            <Verified verification={status.verification} />
          </>
        )}
      </summary>
      {children}
    </details>
  );
}

function Wanting({ items }: { readonly items: readonly Attention[] }) {
  return (
    <>
      {items.length > 0 && <AttentionList items={items} />}
      <p>
        <a href={linkTo(['pipeline'])}>See the pipeline</a>
      </p>
    </>
  );
}

/** Below this it is what a batch takes. */
const CURRENT_S = 2;

/** Nothing where new events are searchable within seconds. */
function Behind({ profiles, analytics }: ProjectStatus['lag_seconds']) {
  if (profiles === null || analytics === null) return <span>The delay of the stores is unknown right now.</span>;
  const [p, a] = [countOf(profiles), countOf(analytics)];
  if (p < CURRENT_S && a < CURRENT_S) return null;
  const behind = [
    p >= CURRENT_S && `Profiles are ${count(Math.round(p))} s behind`,
    a >= CURRENT_S && `analytics is ${count(Math.round(a))} s behind`,
  ];
  return <span>{capital(behind.filter((part) => part !== false).join(', '))}: new events appear after that.</span>;
}

function Verified({ verification }: { readonly verification: ProjectStatus['verification'] | undefined }) {
  if (verification === undefined) return <span>The data check is not available right now.</span>;
  if (verification === null) return <span class="quiet">No data check yet.</span>;
  const { hours_compared: hours, hours_different: different, finished_at: at, compared_until: until } = verification;
  const wrong = countOf(different);
  if (countOf(hours) === 0) {
    return (
      <span class="quiet">
        Not checked yet: nothing had arrived in the hours of the last check, <Ago at={at} isPlain />.
      </span>
    );
  }
  const lead =
    wrong === 0
      ? 'Nothing is missing'
      : `In ${count(wrong)} of ${count(countOf(hours))} hours a store differs from the log`;
  return (
    <span class={wrong === 0 ? '' : 'field-error'}>
      {lead}, up to {minuteText(until)}. Checked <Ago at={at} isPlain />.
    </span>
  );
}
