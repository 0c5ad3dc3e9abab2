/** How often a property is tried; `PROPERTY_RUNS=…` tries more. `property-failures.ts` tries a failure again. */
export function propertyRun(numRuns: number): { numRuns: number } {
  const { PROPERTY_RUNS: runs } = process.env;
  return { numRuns: runs === undefined ? Math.ceil(numRuns) : Number(runs) };
}
