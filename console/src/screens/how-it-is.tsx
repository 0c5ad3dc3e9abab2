/** How the project is, in sentences: what came, what waits, what is missing, and what wants attention. */
import { ask } from '../api/client.ts';
import { countOf, type RawNumber } from '../api/json.ts';
import { operation } from '../../../schemas/operations.ts';
import type { ProjectStatus } from '../api/types.ts';
import { linkTo } from '../frame/router.ts';
import { isAdmin } from '../frame/session.ts';
import { AttentionList } from '../parts/attention.tsx';
import { count } from '../parts/numbers.ts';
import { ReadyParts } from '../parts/ready-parts.tsx';
import { Problem } from '../parts/loading/states.tsx';
import { Ago } from '../parts/time.tsx';
import { usePoll } from '../parts/loading/use-poll.ts';

const EVERY_MS = 5_000;

/** An admin key is told what the installation wants; others whether its parts work. */
export function WantsAttention() {
  const { value, error, refresh } = usePoll(
    isAdmin.value ? 'status' : undefined,
    async (signal) => ask({ ...operation('GET /v1/admin/status'), signal }),
    EVERY_MS,
  );
  if (!isAdmin.value) return <ReadyParts />;
  if (error !== undefined) return <Problem error={error} retry={refresh} />;
  if (value === undefined) return null;
  if (value.attention.length > 0) return <AttentionList items={value.attention} />;
  return (
    <p class="all-well">
      <i class="dot alive" aria-hidden="true" />
      <b>Everything is working.</b> Nothing wants attention. <a href={linkTo(['pipeline'])}>See the pipeline</a>
    </p>
  );
}

export function HowItIs() {
  const { value, error, refresh } = usePoll(
    'project-status',
    async (signal) => ask({ ...operation('GET /v1/status'), signal }),
    EVERY_MS,
  );
  if (error !== undefined) return <Problem error={error} retry={refresh} />;
  if (value === undefined) return null;
  return (
    <section class="card sentences" aria-labelledby="how">
      <h2 id="how">How it is</h2>
      <p>{arrivedText(value)}</p>
      <p>{behindText(value.lag_seconds)}</p>
      <Verified verification={value.verification} />
    </section>
  );
}

const HOUR_MS = 3_600_000;

function arrivedText({ hours, refused_today: refused }: ProjectStatus): string {
  if (hours === null) return 'What arrived cannot be counted now.';
  const thisHour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const of = (ms: number) => hours.find(({ hour }) => Date.parse(hour) === ms);
  const [now, before] = [of(thisHour), of(thisHour - HOUR_MS)];
  const repeats = now === undefined ? 0 : countOf(now.repeats);
  const repeated = repeats === 0 ? '' : `, and ${count(repeats)} repeated ${repeats === 1 ? 'one' : 'ones'}`;
  const arrived = `${messagesOf(now?.messages)} in this hour${repeated}; ${messagesOf(before?.messages)} in the hour before.`;
  if (refused === null) return arrived;
  const refusals = countOf(refused);
  return `${arrived} ${refusals === 0 ? 'None was' : `${count(refusals)} ${refusals === 1 ? 'was' : 'were'}`} refused today.`;
}

function messagesOf(messages: RawNumber | undefined): string {
  const number = messages === undefined ? 0 : countOf(messages);
  return number === 1 ? '1 message' : `${count(number)} messages`;
}

/** Below this it is what a batch takes. */
const CURRENT_S = 2;

function behindText({ profiles, analytics }: ProjectStatus['lag_seconds']): string {
  if (profiles === null || analytics === null) return 'How far the stores are behind is not known now.';
  const [p, a] = [countOf(profiles), countOf(analytics)];
  if (p < CURRENT_S && a < CURRENT_S) return 'Nothing waits: what arrives is in profiles and analytics within seconds.';
  const behind = [
    p >= CURRENT_S && `Profiles are ${count(Math.round(p))} s behind`,
    a >= CURRENT_S && `analytics is ${count(Math.round(a))} s behind`,
  ];
  const text = behind.filter((part) => part !== false).join(', ');
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}. What arrives now is seen after that.`;
}

function Verified({ verification }: { readonly verification: ProjectStatus['verification'] | undefined }) {
  if (verification === undefined) return <p>Whether anything is missing cannot be found out now.</p>;
  if (verification === null) return <p class="quiet">The stores have not been counted against the log yet.</p>;
  const { hours_compared: hours, hours_different: different, finished_at: at } = verification;
  const wrong = countOf(different);
  const lead =
    wrong === 0
      ? 'Nothing is missing'
      : `In ${count(wrong)} of ${count(countOf(hours))} hours a store differs from the log`;
  return (
    <p class={wrong === 0 ? '' : 'field-error'}>
      {lead}, as counted against the log <Ago at={at} />.
    </p>
  );
}
