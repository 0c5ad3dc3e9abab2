import cliProgress, { type Options, type Params } from 'cli-progress';
import type { Progress } from '../runtime/command.ts';
import type { CliContext } from './context.ts';

const LINE_EVERY_MS = 5_000;

/**
 * Shows on standard error how far `work` has come: a bar where that is a terminal, else a line every five seconds.
 *
 * @param title What is being done: `importing`.
 */
export async function withProgress<T>(
  context: Pick<CliContext, 'err' | 'terminal' | 'signal'>,
  title: string,
  work: (onProgress: (progress: Progress) => void, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const display = context.terminal === undefined ? linesOn(context, title) : barOn(context.terminal, title);
  try {
    return await work((progress) => display.show(progress), context.signal ?? new AbortController().signal);
  } finally {
    display.end();
  }
}

interface Display {
  show(progress: Progress): void;
  end(): void;
}

function barOn(stream: NodeJS.WritableStream, title: string): Display {
  const rate = new ProgressRate();
  let bar: cliProgress.SingleBar | undefined;
  const format = (options: Options, { progress }: Params, { text, hasTotal }: { text: string; hasTotal: boolean }) =>
    hasTotal ? `${title} ${cliProgress.Format.BarFormat(progress, options)} ${text}` : `${title} ${text}`;
  return {
    show: (progress) => {
      const { done, total } = progress;
      const payload = { text: rate.describe(progress), hasTotal: total !== undefined };
      if (bar === undefined) {
        const glyphs = { barCompleteChar: '█', barIncompleteChar: '░', barsize: 30 };
        bar = new cliProgress.SingleBar({ stream, format, hideCursor: true, linewrap: false, ...glyphs });
        bar.start(total ?? 0, done, payload);
      }
      bar.setTotal(total ?? 0);
      bar.update(done, payload);
    },
    end: () => bar?.stop(),
  };
}

function linesOn({ err }: Pick<CliContext, 'err'>, title: string): Display {
  const rate = new ProgressRate();
  let lastAtMs = performance.now();
  let unprinted: Progress | undefined;
  const print = (progress: Progress): void => {
    err(`${title}: ${rate.describe(progress)}\n`);
    [lastAtMs, unprinted] = [performance.now(), undefined];
  };
  return {
    show: (progress) => {
      unprinted = progress;
      rate.note(progress);
      if (performance.now() - lastAtMs >= LINE_EVERY_MS) print(progress);
    },
    end: () => {
      // Work that took only a moment needs no line.
      if (unprinted !== undefined && rate.lastsMs >= LINE_EVERY_MS) print(unprinted);
    },
  };
}

/** How far the work has come and how fast, counted from its first report. */
export class ProgressRate {
  readonly #now: () => number;
  #first: { readonly done: number; readonly atMs: number } | undefined;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get lastsMs(): number {
    return this.#first === undefined ? 0 : this.#now() - this.#first.atMs;
  }

  note({ done }: Progress): void {
    this.#first ??= { done, atMs: this.#now() };
  }

  /** `1,200 of 5,000 messages (24 %), 98,000/s, 40 s left`. */
  describe(progress: Progress): string {
    this.note(progress);
    const { done, total, unit } = progress;
    const perSecond = this.lastsMs < 500 ? 0 : ((done - (this.#first?.done ?? 0)) / this.lastsMs) * 1000;
    const counted = [formatCount(done), total !== undefined && `of ${formatCount(total)}`, unit]
      .filter(Boolean)
      .join(' ');
    const share = total === undefined || total === 0 ? '' : ` (${Math.floor((done / total) * 100)} %)`;
    const left = total === undefined || perSecond === 0 ? undefined : (total - done) / perSecond;
    return [
      `${counted}${share}`,
      perSecond > 0 && `${formatCount(Math.round(perSecond))}/s`,
      left !== undefined && left > 0 && `${formatDuration(left)} left`,
      typeof progress['note'] === 'string' && progress['note'],
    ]
      .filter(Boolean)
      .join(', ');
  }
}

function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

function formatDuration(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
