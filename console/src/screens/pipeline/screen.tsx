/** Where messages are on their way from the log into the stores, and what is wrong there. */
import './pipeline.css';
import { operation } from '../../api/client.ts';
import { countOf, type RawNumber } from '../../api/json.ts';
import type { Answer, InstallationStatus } from '../../api/types.ts';
import { linkTo, parameter, setParameters } from '../../api/address.ts';
import { AttentionList, wantsText } from '../../parts/attention.tsx';
import { POLL_MS, Ready, useAnswer } from '../../parts/loading/use-load.tsx';
import { LinkButton, ScreenPage, Section } from '../../parts/page.tsx';
import { Drawing } from './drawing.tsx';
import { Hours, HoursCommands } from './hours.tsx';
import { Machine } from '../machine.tsx';
import { pipelineOf } from './model.ts';
import { count, counted } from '../../parts/numbers.ts';
import { useEscape } from '../../parts/keyboard.ts';
import { type CellColumn, Listed } from '../../parts/table.tsx';
import { Button } from '../../parts/form.tsx';

const STATUS_MS = 2_000;

export function PipelineScreen() {
  const status = useAnswer(operation('GET /v1/admin/status'), STATUS_MS);
  const generations = useAnswer(operation('GET /v1/admin/generations'), POLL_MS.idle);
  const partitions = parameter('partitions');
  const { value, error } = status;
  return (
    <ScreenPage
      title="Pipeline"
      beside={value !== undefined && error === undefined && <Headline status={value} />}
      actions={<LinkButton label="Replays" link={linkTo(['replays'])} />}
      copy={{ request: operation('GET /v1/admin/status'), tidemark: ['status'], children: <HoursCommands /> }}
    >
      <Ready of={status} what="the pipeline">
        {(found) => (
          <>
            {error !== undefined && <p class="notice">The service does not answer. This is its last known state.</p>}
            {found.attention.length > 0 && <AttentionList items={found.attention} />}
            <Drawing view={pipelineOf(found, generations.value)} />
            {partitions !== undefined && <Partitions key={partitions} of={partitions} />}
            <Hours failed={countOf(found.dead_letters?.messages ?? { rawJSON: '0' })} />
            <Machine status={found} />
          </>
        )}
      </Ready>
    </ScreenPage>
  );
}

/** The one line that is read first. */
function Headline({ status: { attention, ready } }: { readonly status: InstallationStatus }) {
  const tone = attention.length === 0 ? 'good' : ready ? 'warn' : 'bad';
  const text = wantsText(attention.length);
  return (
    <p class={`status headline ${tone}`} role="status">
      <i class={`dot ${tone}`} aria-hidden="true" />
      {ready ? text : `Messages are rejected · ${text}`}
    </p>
  );
}

const ALL_PARTITIONS = 'Partitions of the event log';
const TITLES: Readonly<Record<string, string>> = {
  profiles: 'Partitions that the profile writer reads',
  analytics: 'Partitions that the analytics writer reads',
};

/** How far each partition has been read, those with the most unread first; Esc closes it. */
function Partitions({ of: part }: { readonly of: string }) {
  const cursor = parameter('cursor');
  const polled = useAnswer(operation('GET /v1/admin/partitions', { query: { limit: 50, cursor } }), POLL_MS.current);
  const close = (): void => setParameters({ partitions: '', cursor: '' });
  useEscape(close);
  return (
    <Section
      id="partitions"
      title={TITLES[part] ?? ALL_PARTITIONS}
      look="card"
      actions={<Button label="Close" look="plain" onClick={close} />}
    >
      <div class="scrolling" tabIndex={0} role="region" aria-label="Partitions">
        <Listed
          of={polled}
          what="the partitions"
          look="one-line"
          rowsOf={({ partitions }) => partitions.toSorted((a, b) => unreadOf(b, part) - unreadOf(a, part))}
          keyOf={({ topic, partition }) => `${topic}-${partition.rawJSON}`}
          columns={PARTITION_COLUMNS.filter(({ hiddenIn }) => hiddenIn !== part)}
        />
      </div>
    </Section>
  );
}

type Partition = Answer<'GET /v1/admin/partitions'>['partitions'][number];

const PARTITION_COLUMNS: readonly (CellColumn<Partition> & { readonly hiddenIn?: string })[] = [
  {
    name: 'Partition',
    cell: ({ topic, partition }) => (
      <>
        {topic.replace('tidemark.', '')} <span class="quiet">{partition.rawJSON}</span>
      </>
    ),
  },
  { name: 'Messages so far', look: 'number', cell: ({ end }) => count(Number(end)) },
  {
    name: 'Not in profiles',
    look: 'number',
    hiddenIn: 'analytics',
    cell: ({ unread }) => unreadText(unread.profiles),
  },
  {
    name: 'Not in analytics',
    look: 'number',
    hiddenIn: 'profiles',
    cell: ({ unread }) => unreadText(unread.analytics),
  },
];

function unreadOf({ unread: { profiles, analytics } }: Partition, part: string): number {
  return Math.max(part === 'analytics' ? 0 : countOf(profiles), part === 'profiles' ? 0 : countOf(analytics));
}

function unreadText(messages: RawNumber) {
  return countOf(messages) === 0 ? <span class="quiet">none</span> : counted(messages);
}
