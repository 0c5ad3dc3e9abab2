import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { openEventLog } from '../../services/event-log/open.ts';
import { segmentNumber } from '../../services/event-log/embedded/segments/segment-file.ts';
import type { KillPoint } from '../support/programs/kill-at-files.ts';
import { type Program, spawnProgram } from '../support/service/spawn-program.ts';
import type { Dice } from '../torture/dice.ts';
import { KilledLog, readWhole } from './killed-log.ts';

const TOPICS = ['one', 'two'];
const APPENDER = 'test/support/programs/event-log-appender.ts';
const PRELOAD = '--import=./test/support/programs/kill-at-files.ts';
/** Threads that append beside the first one. */
const THREADS = 2;
const SEGMENT_BYTES = 30_000;

/** When a writer is killed: at any moment, or at a step of its work on files. */
const MOMENTS = ['any', 'seal', 'any', 'erase', 'any', 'cut'] as const;
/** The operations of the longest of these steps. */
const MOST_OPERATIONS = 9;
/** Lines after which a writer is killed that did not come to its step. */
const MOST_LINES = 4_000;

export interface KillTotals {
  readonly kills: number;
  readonly acknowledged: number;
  readonly lost: readonly string[];
  readonly wrong: readonly string[];
  /** How many of the kills were at each step. */
  readonly steps: Readonly<Record<string, number>>;
}

/**
 * Kills the writers of the log in a folder, one after another, and reads the whole log after each. It stops at the first
 * that leaves something lost or wrong.
 *
 * @param after Called with the number of kills so far.
 */
export async function killWriters(
  folder: string,
  { kills, dice, after }: { readonly kills: number; readonly dice: Dice; readonly after: (done: number) => void },
): Promise<KillTotals> {
  const url = `log:${folder}`;
  const known = new KilledLog();
  const steps: Record<string, number> = {};
  let done = 0;
  while (done < kills && known.lost.length + known.wrong.length === 0) {
    const step = await killOne(url, `kill-${done}`, MOMENTS[done % MOMENTS.length] ?? 'any', { dice, known });
    steps[step] = 1 + (steps[step] ?? 0);
    await readAfter(url, known);
    after(++done);
  }
  const { acknowledged, lost, wrong } = known;
  return { kills: done, acknowledged, lost, wrong, steps };
}

/** Kills a writer once it has filled some segments while nobody read what it printed, and then reads that and the log. */
export async function killUnread(folder: string, segments: number): Promise<KilledLog> {
  const url = `log:${folder}`;
  const known = new KilledLog();
  const writer = spawnProgram(argumentsFor(url, 'unread'));
  while (Math.max(...readdirSync(folder).map((name) => segmentNumber(name) ?? 0)) < segments) await delay(50);
  writer.child.kill('SIGKILL');
  await collect(writer, known, Infinity);
  await writer.kill();
  await readAfter(url, known);
  return known;
}

function argumentsFor(url: string, prefix: string): readonly string[] {
  return [APPENDER, url, TOPICS.join(','), prefix, '0', String(THREADS), String(SEGMENT_BYTES)];
}

/** Starts a writer and collects its lines until it is dead. Returns when that was. */
async function killOne(
  url: string,
  prefix: string,
  moment: 'any' | KillPoint,
  { dice, known }: { readonly dice: Dice; readonly known: KilledLog },
): Promise<string> {
  const args = argumentsFor(url, prefix);
  const killAfter = dice.between(1, MOST_OPERATIONS);
  const writer =
    moment === 'any'
      ? spawnProgram(args)
      : spawnProgram([PRELOAD, ...args], { KILL_AT: moment, KILL_AFTER: String(killAfter) });
  let errors = '';
  writer.child.stderr.on('data', (more) => (errors += String(more)));
  const lines = await collect(writer, known, moment === 'any' ? dice.between(1, 800) : MOST_LINES);
  const isDead = lines === 'ended';
  writer.child.kill('SIGKILL');
  await collect(writer, known, Infinity);
  await writer.kill();
  if (writer.child.signalCode !== 'SIGKILL') known.wrong.push(`${prefix} ended by itself: ${errors}`);
  return isDead ? moment : 'any';
}

/** Notes this many lines, or all that come. */
async function collect(writer: Program, known: KilledLog, count: number): Promise<'ended' | 'enough'> {
  for (let i = 0; i < count; i++) {
    const line = await writer.line();
    if (line === undefined) return 'ended';
    known.note(line);
  }
  return 'enough';
}

async function readAfter(url: string, known: KilledLog): Promise<void> {
  try {
    const log = await openEventLog(url, { topics: TOPICS });
    known.check(await readWhole(log, TOPICS));
    await log.close();
  } catch (error) {
    known.wrong.push(`the log cannot be read: ${String(error)}`);
  }
}
