/** Where messages are on their way from the log into the stores, and what is wrong there. */
import './pipeline.css';
import { ask } from '../../api/client.ts';
import { operation } from '../../../../schemas/operations.ts';
import type { InstallationStatus } from '../../api/types.ts';
import { address } from '../../frame/router.ts';
import { isAdmin } from '../../frame/session.ts';
import { AttentionList } from '../../parts/attention.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { NeedsAdmin } from '../../parts/needs-admin.tsx';
import { Loading, Problem } from '../../parts/loading/states.tsx';
import { usePoll } from '../../parts/loading/use-poll.ts';
import { useRowKeys } from '../../parts/loading/use-rows.ts';
import { Drawing } from './drawing.tsx';
import { Hours } from './hours.tsx';
import { Machine } from './machine.tsx';
import { pipelineOf } from './model.ts';
import { Partitions } from './partitions.tsx';

const STATUS_MS = 2_000;
const GENERATIONS_MS = 10_000;

export function Screen() {
  return isAdmin.value ? <Whole /> : <WithoutAdmin />;
}

function Whole() {
  const status = usePoll('status', async (signal) => ask({ ...operation('GET /v1/admin/status'), signal }), STATUS_MS);
  const generations = usePoll(
    'generations',
    async (signal) => ask({ ...operation('GET /v1/admin/generations'), signal }),
    GENERATIONS_MS,
  );
  const partitions = address.value.query.get('partitions');
  useRowKeys();
  const { value, error, refresh } = status;
  return (
    <div class="screen">
      <div class="head">
        <h1>Pipeline</h1>
        {value !== undefined && error === undefined && <Headline status={value} />}
        <div class="row actions">
          <CopyAs request={operation('GET /v1/admin/status')} tidemark={['status']} />
        </div>
      </div>
      {error !== undefined && <Problem error={error} retry={refresh} />}
      {error !== undefined && value !== undefined && <p class="notice">What is below was so before that.</p>}
      {value === undefined && error === undefined && <Loading what="the pipeline" />}
      {value !== undefined && (
        <>
          {value.attention.length > 0 && <AttentionList items={value.attention} />}
          <Drawing view={pipelineOf(value, generations.value)} />
          {partitions !== null && <Partitions key={partitions} of={partitions} />}
          <Hours />
          <Machine status={value} />
        </>
      )}
    </div>
  );
}

/** The one line that is read first. */
function Headline({ status: { attention, ready } }: { readonly status: InstallationStatus }) {
  const things = attention.length;
  const tone = things === 0 ? 'good' : ready ? 'warn' : 'bad';
  const text =
    things === 0 ? 'All systems normal' : `${things === 1 ? 'One thing wants' : `${things} things want`} attention`;
  return (
    <p class={`headline ${tone}`} role="status">
      <i class="dot" aria-hidden="true" />
      {ready ? text : `Messages are refused · ${text}`}
    </p>
  );
}

function WithoutAdmin() {
  return (
    <div class="screen">
      <div class="head">
        <h1>Pipeline</h1>
        <div class="row actions">
          <CopyAs request={operation('GET /readyz')} />
        </div>
      </div>
      <NeedsAdmin>
        Rates, what waits, disks and the comparison of the stores with the log belong to the whole installation.
      </NeedsAdmin>
    </div>
  );
}
