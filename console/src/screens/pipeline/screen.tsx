/** Where messages are on their way from the log into the stores, and what is wrong there. */
import './pipeline.css';
import { operation } from '../../api/client.ts';
import { countOf } from '../../api/json.ts';
import type { InstallationStatus } from '../../api/types.ts';
import { linkTo, parameter } from '../../api/address.ts';
import { AttentionList, wantsText } from '../../parts/attention.tsx';
import { POLL_MS, Ready, useAnswer } from '../../parts/loading/use-load.tsx';
import { LinkButton, ScreenPage } from '../../parts/page.tsx';
import { Drawing } from './drawing.tsx';
import { Hours, HoursCommands } from './hours.tsx';
import { Machine } from '../machine.tsx';
import { pipelineOf } from './model.ts';
import { Partitions } from './partitions.tsx';

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
