/** The log counted against profiles and analytics, by project and hour, and "verify now". */
import { useState } from 'preact/hooks';
import { ApiError, ask } from '../../api/client.ts';
import { countOf } from '../../api/json.ts';
import { operation } from '../../../../schemas/operations.ts';
import type { Verification, VerificationJob, VerifiedHour } from '../../api/types.ts';
import { address, setParameters } from '../../frame/router.ts';
import { projectName } from '../../frame/session.ts';
import { CopyAs } from '../../parts/copy-as.tsx';
import { count } from '../../parts/numbers.ts';
import { Pager } from '../../parts/loading/pager.tsx';
import { Empty, Loading, Problem } from '../../parts/loading/states.tsx';
import { Ago, exactTime, zoneChoice, zoneOf } from '../../parts/time.tsx';
import { useAnswer } from '../../parts/loading/use-load.ts';
import { usePoll } from '../../parts/loading/use-poll.ts';
import { secondsText } from './model.ts';

const RUNNING_MS = 1_000;
const FINISHED_MS = 30_000;

export function Hours() {
  const { query } = address.value;
  const id = query.get('verification') ?? 'last';
  const asked = operation('GET /v1/admin/verifications/{id}', {
    path: { id },
    query: {
      differing: query.get('differing') === 'true' ? 'true' : undefined,
      cursor: query.get('hours') ?? undefined,
      limit: 48,
    },
  });
  const { value, error, refresh } = usePoll(
    JSON.stringify(asked),
    async (signal) => ask({ ...asked, signal }),
    ({ verification }) => (isRunning(verification) ? RUNNING_MS : FINISHED_MS),
  );
  const isNone = error?.status === 404 && id === 'last';
  return (
    <section class="hours" aria-labelledby="hours">
      <div class="section-head">
        <h2 id="hours">Is everything in the stores?</h2>
        <div class="row">
          <VerifyNow isBusy={value !== undefined && isRunning(value.verification)} />
          <CopyAs request={asked} tidemark={['verify', '--since', '24h']} />
        </div>
      </div>
      {isNone && <NeverVerified />}
      {error !== undefined && !isNone && <Problem error={error} retry={refresh} />}
      {value === undefined && error === undefined && <Loading what="the last verification" />}
      {value !== undefined && error?.status !== 404 && <Found found={value} />}
    </section>
  );
}

function isRunning({ state }: VerificationJob): boolean {
  return state === 'queued' || state === 'running';
}

function NeverVerified() {
  return (
    <Empty title="Nothing has been verified yet">
      <p>
        The service counts the log against profiles and analytics every hour by itself. <b>Verify now</b> does it at
        once; it changes nothing and stops nothing.
      </p>
    </Empty>
  );
}

const PERIODS = { '24h': 'The last 24 hours', '7d': 'The last 7 days', all: 'Everything' } as const;

function VerifyNow({ isBusy }: { readonly isBusy: boolean }) {
  const [since, setSince] = useState('24h');
  const [error, setError] = useState<ApiError>();
  const start = (): void => {
    setError(undefined);
    ask(operation('POST /v1/admin/verifications', { body: { since } })).then(
      ({ id }) => setParameters({ verification: id, differing: '', hours: '' }, { push: true }),
      (failure: unknown) => {
        if (!(failure instanceof ApiError)) throw failure;
        setError(failure);
      },
    );
  };
  return (
    <>
      {error !== undefined && (
        <span class="field-error" role="alert">
          {error.message}
        </span>
      )}
      <select aria-label="What to verify" value={since} onChange={(event) => setSince(event.currentTarget.value)}>
        {Object.entries(PERIODS).map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
      <button type="button" class="primary" disabled={isBusy} onClick={start}>
        {isBusy ? 'Verifying…' : 'Verify now'}
      </button>
    </>
  );
}

function Found({ found: { verification, hours, next_cursor: next } }: { readonly found: Verification }) {
  const { query } = address.value;
  if (isRunning(verification)) return <Running job={verification} />;
  if (verification.state !== 'done') return <Ended job={verification} />;
  const isFiltered = query.get('differing') === 'true';
  return (
    <>
      <Verdict job={verification} />
      <div class="row narrow-hours">
        <Choice chosen={verification} />
        <label class="check">
          <input
            type="checkbox"
            checked={isFiltered}
            onChange={(event) => setParameters({ differing: event.currentTarget.checked ? 'true' : '', hours: '' })}
          />
          Only what differs
        </label>
      </div>
      {hours.length === 0 ? <NoHours isFiltered={isFiltered} /> : <HourTable hours={hours} />}
      <Pager next={next} name="hours" />
    </>
  );
}

function NoHours({ isFiltered }: { readonly isFiltered: boolean }) {
  return (
    <p class="quiet">
      {isFiltered ? 'No hour differs.' : 'No messages arrived in that time, or its hours are not kept any more.'}
    </p>
  );
}

function Running({ job: { progress, seconds_left: left } }: { readonly job: VerificationJob }) {
  const done = progress === null ? undefined : countOf(progress.done);
  const total = progress?.total === undefined ? undefined : countOf(progress.total);
  return (
    <div class="progress" role="status">
      <progress aria-label="Verifying" max={total ?? 1} {...(total !== undefined && { value: done })} />
      <p class="quiet">
        {done === undefined || total === undefined
          ? 'Begins…'
          : `${count(done)} of ${count(total)} messages of the log read`}
        {left !== null && ` · ${secondsText(countOf(left))} left`}
      </p>
    </div>
  );
}

function Ended({ job: { state, problem } }: { readonly job: VerificationJob }) {
  return (
    <div class="problem" role="alert">
      <h2>This verification {state === 'failed' ? 'failed' : `was ${state}`}</h2>
      <p>{problem?.detail}</p>
    </div>
  );
}

function Verdict({ job: { result, finished_at: at, principal } }: { readonly job: VerificationJob }) {
  const isEqual = result?.equal !== false;
  const [hours, different] = [result?.hours_compared, result?.hours_different];
  return (
    <p class={`verdict ${isEqual ? 'good' : 'bad'}`} role="status">
      <b>{isEqual ? 'Everything is there.' : 'A store differs from the log.'}</b>{' '}
      {hours !== undefined &&
        different !== undefined &&
        (countOf(different) === 0
          ? `${hoursText(countOf(hours))} compared, none differs. `
          : `${count(countOf(different))} of ${hoursText(countOf(hours))} ${countOf(different) === 1 ? 'differs' : 'differ'}. `)}
      <span class="quiet">
        {principal === 'service' ? 'Verified by the service itself' : 'Verified'} {at !== null && <Ago at={at} />}.
      </span>
    </p>
  );
}

function hoursText(hours: number): string {
  return hours === 1 ? '1 hour' : `${count(hours)} hours`;
}

/** Which verification is shown: the last of the service, or one that was started. */
function Choice({ chosen }: { readonly chosen: VerificationJob }) {
  const asked = operation('GET /v1/admin/verifications', { query: { limit: 10 } });
  const list = useAnswer(asked, `${chosen.id} ${chosen.state}`);
  const started = list.state === 'ready' ? list.value.verifications : [];
  const others = started.some(({ id }) => id === chosen.id) || chosen.id === 'last' ? started : [chosen, ...started];
  return (
    <select
      aria-label="Which verification"
      value={chosen.id}
      onChange={(event) => {
        const id = event.currentTarget.value;
        setParameters({ verification: id === 'last' ? '' : id, hours: '' }, { push: true });
      }}
    >
      <option value="last">The last by the service itself</option>
      {others.map(({ id, created_at: at }) => (
        <option key={id} value={id}>
          Started {at.slice(0, 10)} {at.slice(11, 16)} UTC
        </option>
      ))}
    </select>
  );
}

function HourTable({ hours }: { readonly hours: readonly VerifiedHour[] }) {
  return (
    <div class="scrolling" tabIndex={0} role="region" aria-label="Hours">
      <table class="numbers">
        <thead>
          <tr>
            <th scope="col">Hour</th>
            <th scope="col" class="text">
              Project
            </th>
            <th scope="col">In the log</th>
            <th scope="col">Profiles</th>
            <th scope="col">Analytics</th>
            <th scope="col">Repeats</th>
          </tr>
        </thead>
        <tbody>
          {hours.map((hour) => (
            <tr key={hour.hour + hour.project} class={hour.equal ? '' : 'differs'}>
              <th scope="row">{hourText(hour.hour)}</th>
              <td class="text">{projectName(hour.project)}</td>
              <td>{count(countOf(hour.messages))}</td>
              <StoreCell counts={hour.postgres} waits={countOf(hour.not_yet.postgres)} />
              <StoreCell counts={hour.clickhouse} waits={countOf(hour.not_yet.clickhouse)} />
              <td class="quiet">{count(countOf(hour.repeats))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** `24 Nov 2026, 14:00` */
function hourText(at: string): string {
  return exactTime(at, zoneOf(zoneChoice.value)).split(':').slice(0, 2).join(':');
}

interface StoreCellProps {
  readonly counts: VerifiedHour['postgres'];
  readonly waits: number;
}

function StoreCell({ counts, waits }: StoreCellProps) {
  const [expected, found] = [countOf(counts.expected), countOf(counts.found)];
  if (expected === found) {
    return (
      <td>
        {waits > 0 && <span class="quiet">{count(waits)} on the way </span>}
        {count(found)}
      </td>
    );
  }
  const difference = Math.abs(expected - found);
  return (
    <td class="wrong">
      {count(found)} <b>{expected > found ? `${count(difference)} missing` : `${count(difference)} too many`}</b>
    </td>
  );
}
