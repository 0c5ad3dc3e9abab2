/** What the command `tidemark` runs. */
import { setPriority } from 'node:os';
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

process.exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  terminal: process.stderr.isTTY ? process.stderr : undefined,
  // On Linux niceness belongs to a thread, and the process id names the main one. Elsewhere it applies to the process.
  lowerPriority: () => setPriority(process.pid, 19),
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
