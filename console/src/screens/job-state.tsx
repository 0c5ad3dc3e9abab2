/** How a job is, in a word. */
import type { ImportJob } from '../api/types.ts';

type State = ImportJob['state'];

const JOB_STATES: Readonly<Record<State, readonly [text: string, tone: string]>> = {
  queued: ['Waiting', ''],
  running: ['Running', 'busy'],
  done: ['Done', 'good'],
  failed: ['Failed', 'bad'],
  cancelled: ['Stopped', 'warn'],
  interrupted: ['Interrupted', 'warn'],
};

export function isOver(state: State): boolean {
  return state !== 'queued' && state !== 'running';
}

export function JobState({ state }: { readonly state: State }) {
  const [text, tone] = JOB_STATES[state];
  return <StateMark text={text} tone={tone} />;
}

/** @param tone A class of the dot; '' for grey. */
export function StateMark({ text, tone }: { readonly text: string; readonly tone: string }) {
  return (
    <span class="status">
      <i class={`dot ${tone}`} aria-hidden="true" />
      <b>{text}</b>
    </span>
  );
}
