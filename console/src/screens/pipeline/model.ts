/** What the drawing shows of a status, in words. Pure. */
import { countOf, type RawNumber } from '../../api/json.ts';
import type { Generations, InstallationStatus, ReaderName, ReaderStatus } from '../../api/types.ts';
import { bytes, count, durationText } from '../../parts/numbers.ts';

type Tone = 'good' | 'warn' | 'bad' | 'unknown';

export interface NodeView {
  readonly title: string;
  readonly lines: readonly string[];
  readonly tone: Tone;
  /** The state in words, beside its dot. */
  readonly state: string;
}

export interface EdgeView {
  readonly rate: string;
  readonly waits: string;
  readonly behind: string;
  readonly tone: Tone;
  readonly isFlowing: boolean;
}

export interface PipelineView {
  readonly input: NodeView;
  readonly log: NodeView;
  readonly projector: NodeView;
  readonly sink: NodeView;
  readonly profiles: NodeView;
  readonly analytics: NodeView;
  readonly toProjector: EdgeView;
  readonly toSink: EdgeView;
  readonly generations: readonly { readonly key: string; readonly title: string; readonly line: string }[];
  readonly isAccepting: boolean;
}

export function pipelineOf(status: InstallationStatus, generations: Generations | undefined): PipelineView {
  const { parts, rates, readers, stored_bytes: sizes } = status;
  const accepted = countOf(rates.accepted);
  const ingest = stateOf(parts['ingest'] ?? (status.ready ? 'ready' : 'unknown'));
  return {
    input: {
      title: 'Incoming',
      lines: [`${rateText(accepted)} accepted`, `${rateText(countOf(rates.refused))} rejected`],
      ...ingest,
    },
    log: { title: 'Event log', lines: [sizeText(sizes.log)], ...stateOf(parts['eventLog'] ?? 'unknown') },
    projector: readerNode('Profile writer', readers, 'projector', 'import-projector'),
    sink: readerNode('Analytics writer', readers, 'sink', 'import-sink'),
    profiles: { title: 'Profiles', lines: [sizeText(sizes.profiles)], ...stateOf(parts['profiles'] ?? 'unknown') },
    analytics: { title: 'Analytics', lines: [sizeText(sizes.analytics)], ...stateOf(parts['analytics'] ?? 'unknown') },
    toProjector: edgeOf(readers.projector),
    toSink: edgeOf(readers.sink),
    generations: (generations?.generations ?? []).filter(({ state }) => state === 'building').map(generationOf),
    isAccepting: accepted > 0,
  };
}

function readerNode(
  title: string,
  readers: InstallationStatus['readers'],
  live: ReaderName,
  imports: ReaderName,
): NodeView {
  const { state, tone } = stateOf(readers[live].state);
  const importing = readers[imports];
  const waiting = importing.lag_messages === null ? 0 : countOf(importing.lag_messages);
  const rate = countOf(importing.messages_per_second);
  const isWell = importing.state === 'ready';
  const line = !isWell
    ? `Imports: ${stateOf(importing.state).state}`
    : waiting > 0
      ? `Imports: ${count(waiting)} waiting`
      : rate > 0
        ? `Imports: ${rateText(rate)}`
        : 'No imports waiting';
  return { title, lines: [line], state, tone: tone === 'good' && !isWell ? 'warn' : tone };
}

const BEHIND_WARN_S = 10;
const BEHIND_BAD_S = 60;

function edgeOf({ lag_messages: messages, lag_seconds: lag, messages_per_second: perSecond }: ReaderStatus): EdgeView {
  const rate = countOf(perSecond);
  const seconds = lag === null ? undefined : countOf(lag);
  const waiting = messages === null ? undefined : countOf(messages);
  const late = seconds ?? 0;
  const tone = waiting === undefined ? 'unknown' : late > BEHIND_BAD_S ? 'bad' : late > BEHIND_WARN_S ? 'warn' : 'good';
  return {
    rate: rateText(rate),
    waits: waiting === undefined ? 'unknown' : waiting === 0 ? 'nothing waiting' : `${count(waiting)} waiting`,
    behind: waiting === undefined || waiting === 0 || seconds === undefined ? '' : `${durationText(seconds)} behind`,
    tone,
    isFlowing: rate > 0 || late > 0,
  };
}

function generationOf({ kind, number, messages, behind }: Generations['generations'][number]) {
  const [have, missing] = [countOf(messages), countOf(behind)];
  const share = have + missing === 0 ? 100 : Math.floor((100 * have) / (have + missing));
  return {
    key: `${kind}-${number.rawJSON}`,
    title: `${kind === 'profiles' ? 'Profiles' : 'Analytics'}, generation ${number.rawJSON}, is being built`,
    line: missing === 0 ? 'It has everything' : `${share} % · ${count(missing)} messages to go`,
  };
}

/** A state of `/readyz` in plain words. */
export function stateOf(state: string): { readonly state: string; readonly tone: Tone } {
  const known = STATES[state];
  if (known !== undefined) return { state: known[0], tone: known[1] };
  return { state: state.startsWith('stuck') ? 'stuck' : state, tone: 'bad' };
}

const STATES: Readonly<Record<string, readonly [string, Tone]>> = {
  ready: ['working', 'good'],
  empty: ['empty', 'good'],
  starting: ['starting', 'warn'],
  busy: ['busy', 'warn'],
  waiting: ['in use', 'warn'],
  away: ['unreachable', 'bad'],
  'log away': ['log unreachable', 'bad'],
  'clock skewed': ['clock is off', 'bad'],
  failed: ['has failed', 'bad'],
  missing: ['not running', 'bad'],
  full: ['full', 'bad'],
  unknown: ['unknown', 'unknown'],
};

/** `482 / s`, `0.4 / s` */
function rateText(perSecond: number): string {
  return `${perSecond >= 10 || perSecond === 0 ? count(Math.round(perSecond)) : perSecond.toFixed(1)} / s`;
}

function sizeText(size: RawNumber | null): string {
  return size === null ? 'size unknown' : bytes(size);
}
