import { ask } from '../../api/client.ts';
import { countOf } from '../../api/json.ts';
import { operation } from '../../../../schemas/operations.ts';
import type { PartitionsPage } from '../../api/types.ts';
import { address, setParameters } from '../../frame/router.ts';
import { count } from '../../parts/numbers.ts';
import { Pager } from '../../parts/loading/pager.tsx';
import { Loading, Problem } from '../../parts/loading/states.tsx';
import { usePoll } from '../../parts/loading/use-poll.ts';
import { useEscape } from '../../parts/loading/use-rows.ts';

const TITLES: Readonly<Record<string, string>> = {
  all: 'Partitions of the event log',
  profiles: 'Partitions that the profile writer reads',
  analytics: 'Partitions that the analytics writer reads',
};

/** How far each partition has been read, those with the most unread first; Esc closes it. */
export function Partitions({ of: part }: { readonly of: string }) {
  const cursor = address.value.query.get('cursor') ?? undefined;
  const { value, error, refresh } = usePoll(
    `partitions ${cursor}`,
    async (signal) => ask({ ...operation('GET /v1/admin/partitions', { query: { limit: 50, cursor } }), signal }),
    5_000,
  );
  const close = (): void => setParameters({ partitions: '', cursor: '' });
  useEscape(close);
  return (
    <section class="card wide" aria-labelledby="partitions">
      <div class="section-head">
        <h2 id="partitions">{TITLES[part] ?? TITLES['all']}</h2>
        <button type="button" class="plain" onClick={close}>
          Close
        </button>
      </div>
      {error !== undefined && <Problem error={error} retry={refresh} />}
      {value === undefined ? (
        error === undefined && <Loading what="the partitions" />
      ) : (
        <Table page={value} part={part} />
      )}
      <Pager next={value?.next_cursor ?? null} />
    </section>
  );
}

function Table({ page, part }: { readonly page: PartitionsPage; readonly part: string }) {
  const unreadOf = (row: PartitionsPage['partitions'][number]): number =>
    Math.max(
      part === 'analytics' ? 0 : countOf(row.unread.profiles),
      part === 'profiles' ? 0 : countOf(row.unread.analytics),
    );
  const rows = page.partitions.toSorted((a, b) => unreadOf(b) - unreadOf(a));
  return (
    <div class="scrolling" tabIndex={0} role="region" aria-label="Partitions">
      <table class="numbers">
        <thead>
          <tr>
            <th scope="col">Partition</th>
            <th scope="col">Messages so far</th>
            {part !== 'analytics' && <th scope="col">Not in profiles</th>}
            {part !== 'profiles' && <th scope="col">Not in analytics</th>}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ topic, partition, end, unread }) => (
            <tr key={`${topic}-${partition.rawJSON}`}>
              <th scope="row">
                {topic.replace('tidemark.', '')} <span class="quiet">{partition.rawJSON}</span>
              </th>
              <td>{count(Number(end))}</td>
              {part !== 'analytics' && <Unread messages={countOf(unread.profiles)} />}
              {part !== 'profiles' && <Unread messages={countOf(unread.analytics)} />}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Unread({ messages }: { readonly messages: number }) {
  return <td class={messages === 0 ? 'quiet' : ''}>{messages === 0 ? 'none' : count(messages)}</td>;
}
