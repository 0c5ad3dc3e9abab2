/** The log counted against profiles and analytics, by project and hour, and "verify now". */
import { useState } from 'preact/hooks';
import { ask, operation } from '../../api/client.ts';
import { countOf, type RawNumber } from '../../api/json.ts';
import type { Answer, Verification, VerificationJob } from '../../api/types.ts';
import { address, linkTo, parameter, setParameters } from '../../api/address.ts';
import { Select } from '../../parts/choice.tsx';
import { Command, curlText, tidemarkText } from '../../parts/copy-as.tsx';
import { count, durationText, plural } from '../../parts/numbers.ts';
import { Ago, minuteText } from '../../parts/time.tsx';
import { ChangeButton } from '../../parts/loading/change.tsx';
import { Empty, POLL_MS, Ready, useAnswer } from '../../parts/loading/use-load.tsx';
import { Section } from '../../parts/page.tsx';
import { Check } from '../../parts/form.tsx';
import { HourTable } from './hour-table.tsx';
import { isOver } from '../job-state.tsx';

/**
 * What the verification that is chosen found, or else the newest that is done, of whoever began it.
 *
 * @param failed How many dead letters wait.
 */
export function Hours({ failed }: { readonly failed: number }) {
  // The newest that were begun, and the last that the service did by itself.
  const request = operation('GET /v1/admin/verifications', { query: { limit: 10 } });
  const polled = useAnswer(request, ({ verifications }) =>
    verifications.some(isRunning) ? POLL_MS.running : POLL_MS.idle,
  );
  return (
    <Section
      id="hours"
      title="Data check"
      look="hours"
      actions={<VerifyNow isBusy={polled.value?.verifications.some(isRunning) === true} onStart={polled.retry} />}
    >
      <Ready of={polled} what="verifications">
        {(list) => {
          const id = named() ?? newestOf(list);
          return id === undefined ? (
            <Empty title="No data check yet">
              Every hour the service compares the log with profiles and analytics. <b>Verify now</b> does it at once,
              and changes nothing.
            </Empty>
          ) : (
            <Chosen key={id} id={id} list={list} failed={failed} />
          );
        }}
      </Ready>
    </Section>
  );
}

/** The same check, for a terminal. */
export function HoursCommands() {
  return (
    <>
      <Command name="curl, data check" text={curlText({ request: hoursRequest(named() ?? 'last') })} />
      <Command name="tidemark, data check" text={tidemarkText(['verify', '--since', '24h'])} />
    </>
  );
}

/** The verification that the address has. */
function named(): string | undefined {
  return parameter('verification');
}

type Verifications = Answer<'GET /v1/admin/verifications'>;

function newestOf({ verifications, last }: Verifications): string | undefined {
  const done = verifications.find(({ state, result }) => state === 'done' && comparedSomething(result));
  if (last === null) return done?.id;
  const isOwnNewer = comparedSomething(last) && (done?.finished_at ?? '') < last.finished_at;
  return done === undefined || isOwnNewer ? 'last' : done.id;
}

/** A check in whose hours nothing had arrived does not hide an earlier one. */
function comparedSomething(found: { readonly hours_compared?: RawNumber | null } | null): boolean {
  const hours = found?.hours_compared ?? undefined;
  return hours === undefined || countOf(hours) > 0;
}

function hoursRequest(id: string) {
  const { query } = address.value;
  return operation('GET /v1/admin/verifications/{id}', {
    path: { id },
    query: {
      differing: query.get('differing') === 'true' ? 'true' : undefined,
      cursor: query.get('hours') ?? undefined,
      limit: 48,
    },
  });
}

interface ChosenProps {
  readonly id: string;
  readonly list: Verifications;
  readonly failed: number;
}

function Chosen({ id, list, failed }: ChosenProps) {
  const request = hoursRequest(id);
  const polled = useAnswer(request, ({ verification }) => (isRunning(verification) ? POLL_MS.running : POLL_MS.idle));
  const isFiltered = parameter('differing') === 'true';
  const contentOf = ({ verification, hours, next_cursor: next }: Verification) => {
    if (isRunning(verification)) return <Running job={verification} />;
    const { state, problem } = verification;
    if (state !== 'done')
      return (
        <div class="problem" role="alert">
          <h2>This verification {state === 'failed' ? 'failed' : `was ${state}`}</h2>
          <p>{problem?.detail}</p>
        </div>
      );
    return (
      <>
        <Outcome job={verification} failed={failed} />
        <div class="row below">
          <VerificationChoice chosen={verification} list={list} />
          <Check
            label="Only hours that differ"
            isOn={isFiltered}
            onChange={(isOn) => setParameters({ differing: isOn ? 'true' : '', hours: '' })}
          />
        </div>
        <HourTable hours={hours} none={isFiltered ? 'No hour differs.' : NO_HOURS} next={next} />
      </>
    );
  };
  return (
    <Ready of={polled} what="the verification">
      {(found) => polled.error?.status !== 404 && contentOf(found)}
    </Ready>
  );
}

function isRunning({ state }: VerificationJob): boolean {
  return !isOver(state);
}

const VERIFY_PERIODS = { '24h': 'The last 24 hours', '7d': 'The last 7 days', all: 'Everything' } as const;

function VerifyNow({ isBusy, onStart }: { readonly isBusy: boolean; readonly onStart: () => void }) {
  const [since, setSince] = useState('24h');
  const start = async (): Promise<void> => {
    const { id } = await ask(operation('POST /v1/admin/verifications', { body: { since } }));
    setParameters({ verification: id, differing: '', hours: '' }, { push: true });
    onStart();
  };
  return (
    <>
      <Select label="What to verify" value={since} options={VERIFY_PERIODS} onChoice={setSince} />
      <ChangeButton label={isBusy ? 'Verifying…' : 'Verify now'} look="primary" disabled={isBusy} change={start} />
    </>
  );
}

const NO_HOURS = 'No messages in that time, or its hours are no longer kept.';

function Running({ job: { progress, seconds_left: left } }: { readonly job: VerificationJob }) {
  const done = progress === null ? undefined : countOf(progress.done);
  const total = progress?.total === undefined ? undefined : countOf(progress.total);
  return (
    <div class="progress" role="status">
      <progress aria-label="Verifying" max={total ?? 1} {...(total !== undefined && { value: done })} />
      <p class="quiet">
        {done === undefined || total === undefined
          ? 'Starting…'
          : `${count(done)} of ${count(total)} messages of the log read`}
        {left !== null && ` · ${durationText(countOf(left))} left`}
      </p>
    </div>
  );
}

function Outcome({ job, failed }: { readonly job: VerificationJob; readonly failed: number }) {
  const { result, finished_at: at, principal, created_at: begun } = job;
  const hours = countOf(result?.hours_compared ?? ZERO);
  const isEqual = result?.equal !== false;
  const checked = (
    <span class="quiet">
      {principal === 'service' ? 'Checked automatically' : 'Checked'} {at !== null && <Ago at={at} />}.
    </span>
  );
  if (hours === 0 && isEqual) {
    return (
      <p class="verdict quiet" role="status">
        Not checked yet: nothing had arrived in the hours of this check. {checked}
      </p>
    );
  }
  return (
    <p class={`verdict ${isEqual ? 'good' : 'bad'}`} role="status">
      {isEqual ? <AllStored failed={failed} /> : <b>A store differs from the log</b>}, up to{' '}
      {minuteText(result?.until ?? begun)}: {comparedHours(hours, countOf(result?.hours_different ?? ZERO))}. {checked}{' '}
      {!isEqual && <a href={linkTo(['replays'])}>Replay the store that is wrong</a>}
    </p>
  );
}

/** A message that failed is not missing, and not stored either. */
function AllStored({ failed }: { readonly failed: number }) {
  if (failed === 0) return <b>Everything is there</b>;
  return (
    <>
      <b>All stored</b>, except <a href={linkTo(['dead-letters'])}>{plural(failed, 'message')} that failed</a>
    </>
  );
}

function comparedHours(hours: number, different: number): string {
  const all = plural(hours, 'hour');
  if (different === 0) return `${all} compared, none differs`;
  return `${count(different)} of ${all} ${different === 1 ? 'differs' : 'differ'}`;
}

const ZERO = { rawJSON: '0' };

/** Which verification is shown: the last of the service, or one that was started. */
function VerificationChoice({ chosen, list }: { readonly chosen: VerificationJob; readonly list: Verifications }) {
  const started = list.verifications;
  const others = started.some(({ id }) => id === chosen.id) || chosen.id === 'last' ? started : [chosen, ...started];
  return (
    <Select
      label="Which verification"
      value={chosen.id}
      options={[
        ...(list.last === null ? [] : [['last', 'Latest automatic check'] as const]),
        ...others.map(({ id, created_at: at }) => [id, `Started ${minuteText(at)}`] as const),
      ]}
      onChoice={(id) => setParameters({ verification: id, hours: '' }, { push: true })}
    />
  );
}
