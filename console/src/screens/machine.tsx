/** Disk and processes. */
import { countOf } from '../api/json.ts';
import type { InstallationStatus, ProcessStatus } from '../api/types.ts';
import { bytes, durationText } from '../parts/numbers.ts';
import { Facts, Section } from '../parts/page.tsx';
import { Ago, dayIn } from '../parts/time.tsx';
import { stateOf } from './pipeline/model.ts';

export function Machine({ status }: { readonly status: InstallationStatus }) {
  return (
    <div class="columns machine">
      <Disk status={status} />
      <Processes processes={status.processes} />
    </div>
  );
}

function Disk({ status: { disk, stored_bytes: sizes, growth } }: { readonly status: InstallationStatus }) {
  if (disk === null) return null;
  const [total, free] = [countOf(disk.total_bytes), countOf(disk.free_bytes)];
  const sizeOf = (store: keyof typeof sizes): string => {
    const grows = growth[store];
    const size = bytes(sizes[store]);
    if (grows === null || countOf(grows.bytes_a_day) <= 0) return size;
    return `${size}, +${bytes(grows.bytes_a_day)} a day since ${dayIn(grows.since, 'UTC')}`;
  };
  return (
    <Section id="disk" title="Disk">
      <meter aria-label="Used" min={0} max={total} high={total * 0.9} optimum={0} value={total - free} />
      <p>
        <b>{bytes(free)}</b> of {bytes(total)} free <span class="quiet">at</span> <code>{disk.folder}</code>
        {disk.full_at !== null && `, full on ${dayIn(disk.full_at, 'UTC')} at this rate`}
      </p>
      <Facts of={{ 'Event log': sizeOf('log'), Profiles: sizeOf('profiles'), Analytics: sizeOf('analytics') }} />
    </Section>
  );
}

function Processes({ processes }: { readonly processes: readonly ProcessStatus[] | null }) {
  return (
    <Section id="processes" title="Processes">
      {processes === null && <p class="quiet">The list of processes is not available right now.</p>}
      <ul class="processes">
        {joined(processes ?? []).map((one) => (
          <Process key={one.id} process={one} />
        ))}
      </ul>
    </Section>
  );
}

/** Threads of one process report by themselves: `HOST-PID-THREAD-START`. */
function joined(reports: readonly ProcessStatus[]): readonly ProcessStatus[] {
  const byProcess = Map.groupBy(reports, ({ id }) => id.split('-').slice(0, -2).join('-'));
  return [...byProcess.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const parts = Object.assign({}, ...[first, ...others].map((one) => one.parts)) as ProcessStatus['parts'];
    return [{ ...first, parts, state: others.find(({ state }) => state === 'missing')?.state ?? first.state }];
  });
}

function Process({ process }: { readonly process: ProcessStatus }) {
  const unwell = Object.entries(process.parts).filter(([, state]) => stateOf(state).tone !== 'good');
  const isMissing = process.state === 'missing';
  const tone = isMissing ? 'bad' : unwell.length > 0 ? 'warn' : 'good';
  return (
    <li>
      <i class={`dot ${tone}`} aria-hidden="true" />
      <div>
        <b>{process.role}</b> <span class="quiet">{Object.keys(process.parts).join(', ')}</span>
        <p class="quiet small">
          {isMissing
            ? `Not seen for ${durationText(countOf(process.seen_seconds_ago))}`
            : unwell.length > 0
              ? unwell.map(([part, state]) => `${part}: ${state}`).join(' · ')
              : 'Working'}
          {' · version '}
          {process.version} {' · since '}
          <Ago at={process.started_at} />
        </p>
      </div>
    </li>
  );
}
