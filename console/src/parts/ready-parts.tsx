import { ask } from '../api/client.ts';
import { operation } from '../../../schemas/operations.ts';
import { Problem } from './loading/states.tsx';
import { usePoll } from './loading/use-poll.ts';

/** What the process is made of and whether it works, as anybody may ask: `GET /readyz`. */
export function ReadyParts() {
  const { value, error, refresh } = usePoll(
    'readyz',
    async (signal) => ask({ ...operation('GET /readyz'), takes: [503], signal }),
    5_000,
  );
  if (error !== undefined) return <Problem error={error} retry={refresh} />;
  if (value === undefined) return null;
  const parts = Object.entries(value.parts);
  const unwell = parts.filter(([, state]) => !isWell(state));
  return (
    <section class="card" aria-labelledby="parts">
      <h2 id="parts">{unwell.length === 0 ? 'Everything is working' : 'Something wants attention'}</h2>
      <ul class="parts">
        {[...unwell, ...parts.filter(([, state]) => isWell(state))].map(([name, state]) => (
          <li key={name} class={isWell(state) ? 'well' : 'unwell'}>
            <i class="dot" aria-hidden="true" />
            {NAMES[name] ?? name}
            <span class="quiet">{state}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function isWell(state: string): boolean {
  return state === 'ready' || state === 'empty';
}

const NAMES: Readonly<Record<string, string>> = {
  ingest: 'Ingest',
  eventLog: 'Event log',
  profiles: 'Profiles',
  analytics: 'Analytics',
  projector: 'Projector',
  sink: 'Sink',
  'import-projector': 'Import: profiles',
  'import-sink': 'Import: analytics',
  spool: 'Spool',
};
