/** What was rejected in the last 30 days, the last first. */
import { ask } from '../../api/client.ts';
import { countOf } from '../../api/json.ts';
import { operation } from '../../../../schemas/operations.ts';
import type { RefusalGroup } from '../../api/types.ts';
import { address, setParameters } from '../../frame/router.ts';
import { CopyAs } from '../../parts/copy-as.tsx';
import { count } from '../../parts/numbers.ts';
import { Facts } from '../../parts/facts.tsx';
import { RowButton } from '../../parts/row-button.tsx';
import { Pager } from '../../parts/loading/pager.tsx';
import { Empty, Loading, Problem } from '../../parts/loading/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { usePoll } from '../../parts/loading/use-poll.ts';
import { useEscape, useRowKeys } from '../../parts/loading/use-rows.ts';

const EVERY_MS = 5_000;

export function Refusals() {
  const cursor = address.value.query.get('cursor') ?? undefined;
  const request = operation('GET /v1/refusals', { query: { limit: 50, cursor } });
  const { value, error, refresh } = usePoll(request.path, async (signal) => ask({ ...request, signal }), EVERY_MS);
  useRowKeys();
  return (
    <section aria-labelledby="refusals">
      <div class="section-head">
        <h2 id="refusals">Rejected or mended in the last 30 days</h2>
        <CopyAs request={operation('GET /v1/refusals')} />
      </div>
      {error !== undefined && <Problem error={error} retry={refresh} />}
      {value === undefined && error === undefined && <Loading what="what was rejected" />}
      {value !== undefined && (
        <>
          <Groups groups={value.refusals} isFirst={cursor === undefined} />
          <Pager next={value.next_cursor} />
        </>
      )}
    </section>
  );
}

function Groups({ groups, isFirst }: { readonly groups: readonly RefusalGroup[]; readonly isFirst: boolean }) {
  const open = address.value.query.get('open') ?? undefined;
  useEscape(() => setParameters({ open: '' }));
  if (groups.length === 0 && isFirst) {
    return (
      <Empty title="Nothing was rejected or mended">
        <p>
          What a key of this project sends and the service cannot take is here within ten seconds: which endpoint, what
          was wrong, how often, and an example.
        </p>
      </Empty>
    );
  }
  return (
    <>
      <div class="refusal-row refusal-head quiet small" aria-hidden="true">
        <span class="refusal-count">Times</span>
        <span>Endpoint</span>
        <span>Problem</span>
        <span>Last</span>
      </div>
      <ul class="rows" aria-label="Rejected, the last first">
        {groups.map((group) => {
          const name = nameOf(group);
          return <Group key={name} group={group} name={name} isOpen={name === open} />;
        })}
      </ul>
    </>
  );
}

/** What tells one group from the others. */
function nameOf({ key_id: key, path, code, pointer }: RefusalGroup): string {
  return [key ?? '', path ?? '', code, pointer].join(' ');
}

interface GroupProps {
  readonly group: RefusalGroup;
  readonly name: string;
  readonly isOpen: boolean;
}

function Group({ group, name, isOpen }: GroupProps) {
  return (
    <li>
      <RowButton
        look="refusal-row"
        isOpen={isOpen}
        onToggle={() => setParameters({ open: isOpen ? '' : name }, { push: true })}
      >
        <b class="refusal-count">{count(countOf(group.count))}</b>
        <code>{group.path ?? 'others'}</code>
        <span>
          {group.pointer !== '' && <code>{group.pointer.slice(1)} </code>}
          {group.message}
          {group.code === 'adjusted' && <span class="badge mended">recorded, mended</span>}
        </span>
        <span class="quiet">
          <Ago at={group.last} isPlain />
        </span>
      </RowButton>
      {isOpen && <Details group={group} />}
    </li>
  );
}

function Details({ group }: { readonly group: RefusalGroup }) {
  return (
    <div class="details">
      <Facts
        of={{
          Problem: (
            <>
              {group.message} <code>{group.code}</code>
            </>
          ),
          Key: group.key_id === null ? <span class="quiet">not known</span> : <code>{group.key_id}</code>,
          First: <Ago at={group.first} />,
          Last: <Ago at={group.last} />,
        }}
      />
      {group.example === null ? (
        <p class="quiet">No body was read.</p>
      ) : (
        <div>
          <p class="label">
            The beginning of one {group.code === 'adjusted' ? 'that was mended' : 'that was rejected'}
          </p>
          <pre class="json" tabIndex={0}>
            {group.example}
          </pre>
        </div>
      )}
    </div>
  );
}
