/** Which faults come when: a pure function of the seed. */
import { Dice } from './dice.ts';

export type FaultKind =
  | 'kill'
  | 'kill child'
  | 'pause'
  | 'restart'
  | 'clock'
  | 'cut'
  | 'away'
  | 'slow'
  | 'freeze'
  | 'lose answers'
  | 'disk slow'
  | 'disk full';

export interface Fault {
  readonly atMs: number;
  readonly target: string;
  readonly kind: FaultKind;
  /** Until it is ended: a killed one is started again, a paused one goes on. */
  readonly forMs: number;
  /** Milliseconds that the clock is off, or things are slower; of a full disk the kibibytes that are left. */
  readonly amount: number;
}

/** Something that faults can be done to. */
export interface Faulty {
  readonly name: string;
  readonly kinds: readonly FaultKind[];
}

export interface ScheduleOptions {
  readonly seed: number;
  readonly forMs: number;
  readonly kills: number;
  /** Other faults, of any kind. */
  readonly others: number;
  readonly targets: readonly Faulty[];
}

/** Sorted by time; kills are spread evenly, the others are not. */
export function planFaults({ seed, forMs, kills, others, targets }: ScheduleOptions): readonly Fault[] {
  const dice = new Dice(seed);
  const killable = targets.filter(({ kinds }) => kinds.includes('kill'));
  const faults: Fault[] = [];
  for (let kill = 0; kill < kills; kill++) {
    const atMs = ((kill + dice.next()) / kills) * forMs;
    faults.push(faultOf(dice, atMs, dice.pick(killable).name, 'kill'));
  }
  for (let other = 0; other < others; other++) {
    const { name, kinds } = dice.pick(targets);
    const kind = dice.pick(kinds.filter((one) => one !== 'kill'));
    faults.push(faultOf(dice, dice.next() * forMs, name, kind));
  }
  return faults.sort((a, b) => a.atMs - b.atMs);
}

function faultOf(dice: Dice, atMs: number, target: string, kind: FaultKind): Fault {
  const [shortest, longest] = LASTS_MS[kind];
  // Mostly short, now and then long.
  const forMs = Math.round(shortest + (longest - shortest) * dice.next() ** 3);
  return { atMs: Math.round(atMs), target, kind, forMs, amount: amountOf(dice, kind) };
}

/** Shorter than `CLOCK_TRUST_AFTER_MS` of the scenes: a clock is set back before it is believed. */
const LONGEST_CLOCK_MS = 12_000;

const LASTS_MS: Readonly<Record<FaultKind, readonly [number, number]>> = {
  kill: [0, 4_000],
  'kill child': [0, 0],
  pause: [50, 9_000],
  restart: [0, 500],
  clock: [300, LONGEST_CLOCK_MS],
  cut: [0, 0],
  away: [100, 5_000],
  slow: [300, 8_000],
  freeze: [100, 8_000],
  'lose answers': [100, 3_000],
  'disk slow': [300, 8_000],
  'disk full': [300, 4_000],
};

const DAY_MS = 86_400_000;
/** No clock that is within it of the right one is known to be wrong by a process that starts with it. */
export const CLOCK_BELIEVED_MS = 2 * DAY_MS;

/** Within what the service puts up with, up to two days, or years that the service must never believe. */
function clockOffMs(dice: Dice): number {
  if (dice.chance(0.5)) return dice.between(50, 4_000);
  return dice.chance(0.5) ? dice.between(6_000, CLOCK_BELIEVED_MS) : dice.between(400 * DAY_MS, 7_000 * DAY_MS);
}

function amountOf(dice: Dice, kind: FaultKind): number {
  if (kind === 'clock') return dice.pick([-1, 1]) * clockOffMs(dice);
  if (kind === 'slow') return dice.between(5, 300);
  if (kind === 'disk slow') return dice.between(10, 600);
  return kind === 'disk full' ? dice.pick([0, 0, 16, 256]) : 0;
}
