import { countOf, type RawNumber } from '../../api/json.ts';
import { operation } from '../../api/client.ts';
import type { PartitionsPage } from '../../api/types.ts';
import { parameter, setParameters } from '../../api/address.ts';
import { count, counted } from '../../parts/numbers.ts';
import { POLL_MS, useAnswer } from '../../parts/loading/use-load.tsx';
import { useEscape } from '../../parts/keyboard.ts';
import { Section } from '../../parts/page.tsx';
import { type CellColumn, Listed } from '../../parts/table.tsx';
import { Button } from '../../parts/form.tsx';

const TITLES: Readonly<Record<string, string>> = {
  all: 'Partitions of the event log',
  profiles: 'Partitions that the profile writer reads',
  analytics: 'Partitions that the analytics writer reads',
};

/** How far each partition has been read, those with the most unread first; Esc closes it. */
export function Partitions({ of: part }: { readonly of: string }) {
  const cursor = parameter('cursor');
  const polled = useAnswer(operation('GET /v1/admin/partitions', { query: { limit: 50, cursor } }), POLL_MS.current);
  const close = (): void => setParameters({ partitions: '', cursor: '' });
  useEscape(close);
  return (
    <Section
      id="partitions"
      title={TITLES[part] ?? TITLES['all']}
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

type Partition = PartitionsPage['partitions'][number];

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
