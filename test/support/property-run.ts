/**
 * How often a property is tried. A failure prints its seed and path: `PROPERTY_SEED=… PROPERTY_PATH=…` tries that again,
 * `PROPERTY_RUNS=…` more than usual.
 */
export function propertyRun(numRuns: number): { numRuns: number; seed?: number; path?: string } {
  const { PROPERTY_SEED: seed, PROPERTY_PATH: path, PROPERTY_RUNS: runs } = process.env;
  return {
    numRuns: runs === undefined ? Math.ceil(numRuns) : Number(runs),
    ...(seed !== undefined && { seed: Number(seed) }),
    ...(path !== undefined && { path }),
  };
}
