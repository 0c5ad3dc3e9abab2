import type { PGlite } from '@electric-sql/pglite';

/** The functions of the engine that PGlite's protocol loop calls. */
const STEP = '_PostgresMainLoopOnce';
const ENDINGS = ['_PostgresSendReadyForQueryIfNecessary', '_pgl_pq_flush'] as const;

type Engine = Record<typeof STEP | (typeof ENDINGS)[number], () => void> & {
  stackRestore: (pointer: number) => number;
};

/** The exit status of a failed statement in Postgres: POSTGRES_MAIN_LONGJMP in PGlite. */
const STATEMENT_FAILED = 100;

/**
 * Turns a panic of Postgres (it cannot write its log, for example on a full disk) into an error of the statement.
 * PGlite 0.5.16 takes any exception of the engine for the failure of one statement and continues with the current
 * message. A dead engine never consumes that message, so the loop blocks the thread forever (tried).
 */
export function endOnPanic(pg: PGlite): void {
  const engine = pg.Module as unknown as Engine;
  const { [STEP]: step, stackRestore } = engine;
  let panic: Error | undefined;
  engine[STEP] = () => {
    if (panic) throw panic;
    try {
      step();
    } catch (error) {
      if (!isStatementFailure(error)) panic = new Error('Postgres panicked', { cause: error });
      throw error;
    }
  };
  // The loop calls this first after an exception, so throwing here leaves the loop.
  engine.stackRestore = (pointer) => {
    if (panic) throw panic;
    return stackRestore(pointer);
  };
  for (const name of ENDINGS) {
    const call = engine[name];
    engine[name] = () => {
      if (!panic) call();
    };
  }
}

function isStatementFailure(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'status' in error && error.status === STATEMENT_FAILED;
}
