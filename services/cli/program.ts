/** What the command `tidemark` runs. */
import { createInterface } from 'node:readline/promises';
import { Interrupted } from './context.ts';
import { runCli } from './run-cli.ts';

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

// A signal from a terminal arrives twice, once through npm. A later one ends the process at once.
const SECOND_SIGNAL_AFTER_MS = 1_000;

const interruption = new AbortController();
let interruptedAtMs = 0;
for (const [signal, code] of Object.entries(EXIT_CODES)) {
  process.on(signal, () => {
    if (!interruption.signal.aborted) interruptedAtMs = performance.now();
    else if (performance.now() - interruptedAtMs > SECOND_SIGNAL_AFTER_MS) process.exit(code);
    interruption.abort(new Interrupted(code));
  });
}

// The reader of a pipe has seen enough: `tidemark tail | head`. 141 is what shells report of SIGPIPE. For anything else, as
// a full disk, the message says all.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(141);
  process.stderr.write(`error: the output cannot be written: ${error.message}\n`);
  process.exit(1);
});

// What is done goes on where nobody can be told of it: its result is on standard output. A reader that left is no fault.
let couldTell = true;
process.stderr.on('error', ({ code }: NodeJS.ErrnoException) => (couldTell &&= code === 'EPIPE'));
process.on('exit', () => {
  if (!couldTell) process.exitCode ||= 1;
});

process.exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  columns: process.stdout.isTTY ? process.stdout.columns : undefined,
  terminal: process.stderr.isTTY ? process.stderr : undefined,
  confirm: process.stdin.isTTY ? confirm : undefined,
  signal: interruption.signal,
});

async function confirm(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/iu.test((await terminal.question(question, { signal: interruption.signal })).trim());
  } finally {
    terminal.close();
  }
}
