import type { PGlite } from '@electric-sql/pglite';

/** What PGlite's protocol loop calls of the engine. */
const STEP = '_PostgresMainLoopOnce';
const ENDINGS = ['_PostgresSendReadyForQueryIfNecessary', '_pgl_pq_flush'] as const;

type Engine = Record<typeof STEP | (typeof ENDINGS)[number], () => void> & {
  stackRestore: (pointer: number) => number;
};

/** The status with which Postgres leaves a statement that failed: PGlite's POSTGRES_MAIN_LONGJMP. */
const STATEMENT_FAILED = 100;

/**
 * Makes a panic of Postgres (its log cannot be written: the disk is full) an error of the statement. PGlite 0.5.16 takes
 * what the engine throws for the failure of one statement, goes on with the message in hand, which a dead engine never
 * consumes, and so holds the thread for ever (tried).
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
  // The first thing that the loop calls with what was thrown: the way out of it.
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
