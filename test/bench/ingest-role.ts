/** The role ingest alone, as it runs where the readers are elsewhere, in one process and in two on one port. */
import { BATCH, SINGLE } from './bodies.ts';
import type { Figures } from './figures.ts';
import type { Form } from './forms.ts';
import { load, type Measured, measureBare, report, ROUNDS, withService } from './http.ts';

const PROCESSES = [1, 2] as const;

export async function benchIngestRole(figures: Figures, form: Form): Promise<void> {
  const bare: Measured = { single: [], batch: [] };
  const ours = PROCESSES.map((processes): Measured & { processes: number } => ({ processes, single: [], batch: [] }));
  for (let round = 0; round < ROUNDS; round++) {
    await measureBare(bare);
    for (const { processes, single, batch } of ours) {
      const settings = { INGEST_PROCESSES: String(processes) };
      const measure = async ({ url }: { readonly url: string }): Promise<void> => {
        single.push(await load(`${url}/v1/track`, SINGLE, 64));
        batch.push(await load(`${url}/v1/batch`, BATCH, 16));
      };
      await withService(form, measure, { role: 'ingest', settings });
    }
  }
  for (const { processes, ...measured } of ours) {
    report(figures, `${form.title}role ingest, INGEST_PROCESSES=${processes}, `, measured, bare);
  }
}
