/** One message of the stream, beside the list: where it has got to, and what is in it. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ApiError, ask } from '../../api/client.ts';
import { operation } from '../../../../schemas/operations.ts';
import type { LiveRow } from '../../api/types.ts';
import { CopyAs } from '../../parts/copy-as.tsx';
import { JsonView } from '../../parts/json/json-view.tsx';
import { count } from '../../parts/numbers.ts';
import { Problem } from '../../parts/loading/states.tsx';
import { exactTime, zoneChoice, zoneOf } from '../../parts/time.tsx';
import { useEscape } from '../../parts/loading/use-rows.ts';
import { userLink } from '../user-link.ts';
import { ChangedTraits } from './changed-traits.tsx';

interface LiveMessageProps {
  readonly row: LiveRow;
  readonly onClose: () => void;
}

export function LiveMessage({ row, onClose }: LiveMessageProps) {
  const panel = useRef<HTMLElement>(null);
  const cameFrom = useRef(document.activeElement);
  const close = (): void => {
    onClose();
    if (cameFrom.current instanceof HTMLElement) cameFrom.current.focus();
  };
  useEscape(close);
  useLayoutEffect(() => panel.current?.focus(), []);
  const zone = zoneOf(zoneChoice.value);
  const [isQueryable, setQueryable] = useState(row.receipt === undefined);
  return (
    <aside class="panel" aria-label="Message" tabIndex={-1} ref={panel}>
      <div class="head">
        <h2>{row.event ?? row.type}</h2>
        <button type="button" class="plain" onClick={close}>
          Close <kbd>Esc</kbd>
        </button>
      </div>
      {row.receipt !== undefined && <Steps row={row} receipt={row.receipt} onQueryable={() => setQueryable(true)} />}
      <dl class="facts">
        <Fact name="User">
          <a href={userLink(row)}>{row.user_id ?? row.anonymous_id ?? row.internal_id}</a>
        </Fact>
        <Fact name="Happened">{exactTime(row.timestamp, zone)}</Fact>
        <Fact name="Received">{exactTime(row.received_at, zone)}</Fact>
        <Fact name="Message id">
          <code>{row.message_id}</code>
        </Fact>
        <Fact name="In the log">
          <code>
            {row.log.topic}, partition {row.log.partition.rawJSON}, offset {row.log.offset}
          </code>
        </Fact>
      </dl>
      {row.adjusted !== undefined && <Adjusted adjusted={row.adjusted} />}
      {isQueryable && row.traits !== undefined && <ChangedTraits row={row} />}
      <h3>{row.type === 'track' ? 'Properties' : 'Traits'}</h3>
      {row.cut === true ? (
        <p class="notice">They are too long for this list. The user's page has the whole.</p>
      ) : (
        <JsonView value={row.properties ?? row.traits ?? {}} />
      )}
      {row.receipt !== undefined && <CopyReceipt receipt={row.receipt} />}
    </aside>
  );
}

/** What of an SDK's call could not be used. */
function Adjusted({ adjusted }: { readonly adjusted: NonNullable<LiveRow['adjusted']> }) {
  return (
    <div class="notice">
      Members that could not be used were mended or left out:
      <ul>
        {adjusted.map(({ path, message }) => (
          <li key={path + message}>
            <code>{path}</code> {message}
          </li>
        ))}
      </ul>
    </div>
  );
}

function CopyReceipt({ receipt }: { readonly receipt: string }) {
  const asked = operation('GET /v1/receipts/{receipt}', { path: { receipt }, query: { wait: WAIT_S } });
  return (
    <div class="below">
      <CopyAs request={asked} />
    </div>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** When this page saw that a step was done, in milliseconds after the message was accepted. */
interface Progress {
  readonly projected?: number | 'before';
  readonly queryable?: number | 'before';
}

const WAIT_S = '10';

interface StepsProps {
  readonly row: LiveRow;
  readonly receipt: string;
  /** Told once analytics has the message. */
  readonly onQueryable: () => void;
}

/** The receipt, asked again until both stores have the message. */
function Steps({ row, receipt, onQueryable }: StepsProps) {
  const [progress, setProgress] = useState<Progress>({});
  const [error, setError] = useState<ApiError>();
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const controller = new AbortController();
    setError(undefined);
    const tell = (next: Progress): void => {
      setProgress(next);
      if (next.queryable !== undefined) onQueryable();
    };
    follow(receipt, tell, controller.signal).catch((failure: unknown) => {
      if (controller.signal.aborted) return;
      if (!(failure instanceof ApiError)) throw failure;
      setError(failure);
    });
    return () => controller.abort();
  }, [receipt, attempt]);
  return (
    <>
      <ol class="steps">
        <Step name="Accepted" done="before" detail="in the log" />
        <Step name="Profile" done={progress.projected} detail={row.type === 'track' ? 'counted' : 'traits merged'} />
        <Step name="Analytics" done={progress.queryable} detail="queryable" />
      </ol>
      {error !== undefined && <Problem error={error} retry={() => setAttempt(attempt + 1)} />}
    </>
  );
}

async function follow(receipt: string, tell: (progress: Progress) => void, signal: AbortSignal): Promise<void> {
  const path = { receipt };
  // What is there already is asked without waiting: when it got there is not known.
  const first = await ask({ ...operation('GET /v1/receipts/{receipt}', { path }), signal });
  let progress: Progress = {
    ...(first.projected && { projected: 'before' }),
    ...(first.queryable && { queryable: 'before' }),
  };
  tell(progress);
  while (progress.projected === undefined || progress.queryable === undefined) {
    // An answer that waits comes when both are there: in between the profile's step is looked for more often.
    const wait = progress.projected === undefined ? '0.1' : WAIT_S;
    const state = await ask({ ...operation('GET /v1/receipts/{receipt}', { path, query: { wait } }), signal });
    const afterMs = Math.max(0, Date.now() - Date.parse(state.accepted_at));
    progress = {
      ...(state.projected && { projected: afterMs }),
      ...(state.queryable && { queryable: afterMs }),
      ...progress,
    };
    tell(progress);
  }
}

interface StepProps {
  readonly name: string;
  readonly done: number | 'before' | undefined;
  readonly detail: string;
}

function Step({ name, done, detail }: StepProps) {
  return (
    <li class={done === undefined ? 'waiting' : 'done'}>
      <b>{name}</b>
      <span class="quiet">
        {done === undefined ? 'on its way…' : done === 'before' ? detail : `${detail} after ${count(done)} ms`}
      </span>
    </li>
  );
}
