/** Where a message has got to, as its receipt says: accepted, in profiles, in analytics. */
import { useState } from 'preact/hooks';
import { ask, operation } from '../api/client.ts';
import { Problem, useLoad } from '../parts/loading/use-load.tsx';
import { count } from '../parts/numbers.ts';

/** When this page saw that a step was done, in milliseconds after the message was accepted. */
interface Progress {
  readonly projected?: number | 'before';
  readonly queryable?: number | 'before';
}

const WAIT_S = '10';

/** @param wait For how long the answer may wait until both stores have the message, in seconds. */
export function receiptRequest(receipt: string, wait: string | undefined = WAIT_S) {
  return operation('GET /v1/receipts/{receipt}', { path: { receipt }, query: { wait } });
}

interface ReceiptStepsProps {
  readonly receipt: string;
  /** The id of its project, where that is not the one that is looked at. */
  readonly project?: string | undefined;
  /** What the profile's step is: `counted`. */
  readonly inProfile: string;
  /** Told once profiles have the message. */
  readonly onProjected?: () => void;
  /** Told once analytics has it. */
  readonly onQueryable?: () => void;
}

/** The receipt, asked again until both stores have the message. */
export function ReceiptSteps({ receipt, project, inProfile, onProjected, onQueryable }: ReceiptStepsProps) {
  const [progress, setProgress] = useState<Progress>({});
  const tell = (next: Progress): void => {
    setProgress(next);
    if (next.projected !== undefined) onProjected?.();
    if (next.queryable !== undefined) onQueryable?.();
  };
  const { error, retry } = useLoad(receipt, async (signal) => follow(receipt, project, tell, signal));
  return (
    <>
      <ol class="steps">
        <ReceiptStep name="Accepted" done="before" detail="in the log" />
        <ReceiptStep name="Profile" done={progress.projected} detail={inProfile} />
        <ReceiptStep name="Analytics" done={progress.queryable} detail="queryable" />
      </ol>
      {error !== undefined && <Problem error={error} retry={retry} />}
    </>
  );
}

async function follow(
  receipt: string,
  project: string | undefined,
  tell: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<void> {
  const headers = project === undefined ? {} : { 'Tidemark-Project': project };
  // What is there already is asked without waiting: when it got there is not known.
  const first = await ask({ ...receiptRequest(receipt, '0'), headers, signal });
  let progress: Progress = {
    ...(first.projected && { projected: 'before' }),
    ...(first.queryable && { queryable: 'before' }),
  };
  tell(progress);
  while (progress.projected === undefined || progress.queryable === undefined) {
    // An answer that waits comes when both are there: in between the profile's step is looked for more often.
    const wait = progress.projected === undefined ? '0.1' : WAIT_S;
    const state = await ask({ ...receiptRequest(receipt, wait), headers, signal });
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

function ReceiptStep({ name, done, detail }: StepProps) {
  return (
    <li class={done === undefined ? 'waiting' : 'done'}>
      <b>{name}</b>
      <span class="quiet">
        {done === undefined ? 'on its way…' : done === 'before' ? detail : `${detail} after ${count(done)} ms`}
      </span>
    </li>
  );
}
