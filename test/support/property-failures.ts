import * as fc from 'fast-check';

/** More of a counterexample is not read: the seed and the path bring it back. */
const LONGEST_COUNTEREXAMPLE = 4_000;

const { PROPERTY_SEED: seed, PROPERTY_PATH: path } = process.env;

/** `PROPERTY_SEED=… PROPERTY_PATH=… npx vitest run FILE -t TITLE` tries what failed again. */
fc.configureGlobal({
  ...(seed !== undefined && { seed: Number(seed) }),
  ...(path !== undefined && { path }),
});

/** For `setupFiles`: a property that fails prints how to try it again, then what differs, and the counterexample last. */
fc.installGlobalPlugin(() => ({
  onAllRunsComplete(run) {
    if (run.failed && run.counterexamplePath !== null) throw failureOf(run);
  },
}));

function failureOf(run: fc.RunDetailsFailureProperty<unknown>): Error {
  const text = fc.stringify(run.counterexample);
  const counterexample = new Error(`the counterexample (${text.length} characters): ${cut(text)}`);
  counterexample.stack = '';
  const error = run.errorInstance instanceof Error ? run.errorInstance : new Error(String(run.errorInstance));
  const again = `PROPERTY_SEED=${run.seed} PROPERTY_PATH=${run.counterexamplePath} tries this again`;
  const shown = new Error(`${cut(error.message)}\n${again}`, { cause: counterexample });
  // The stack names the line that failed. vitest makes the difference of the others.
  if (error.stack !== undefined) shown.stack = error.stack;
  for (const name of ['actual', 'expected', 'showDiff', 'operator'] as const)
    if (name in error) Object.assign(shown, { [name]: Reflect.get(error, name) as unknown });
  return shown;
}

function cut(text: string): string {
  return text.length <= LONGEST_COUNTEREXAMPLE ? text : `${text.slice(0, LONGEST_COUNTEREXAMPLE)} …`;
}
