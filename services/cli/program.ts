/** What the command `tidemark` runs. */
import { setPriority } from 'node:os';
import { createInterface } from 'node:readline/promises';
import { Interrupted } from './context.ts';
import { runCli } from './run-cli.ts';

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

// From a terminal a signal comes twice, once from npm. Whoever sends it again later does not want to wait any more.
const AGAIN_AFTER_MS = 1_000;

const ending = new AbortController();
let endingSinceMs = 0;
for (const [signal, code] of Object.entries(EXIT_CODES)) {
  process.on(signal, () => {
    if (!ending.signal.aborted) endingSinceMs = performance.now();
    else if (performance.now() - endingSinceMs > AGAIN_AFTER_MS) process.exit(code);
    ending.abort(new Interrupted(code));
  });
}

process.exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  terminal: process.stderr.isTTY ? process.stderr : undefined,
  // On Linux niceness belongs to a thread, and the process id names the main one. Elsewhere it is the whole process'.
  letOthersGoFirst: () => setPriority(process.pid, 19),
  confirm: process.stdin.isTTY ? confirm : undefined,
  signal: ending.signal,
});

async function confirm(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/iu.test((await terminal.question(question, { signal: ending.signal })).trim());
  } finally {
    terminal.close();
  }
}
