/** The role ingest alone, as it runs where the readers are elsewhere, in one process and in two on one port. */
import { BATCH, SINGLE } from './bodies.ts';
import type { Figures } from './figures.ts';
import type { Form } from './forms.ts';
import { load, report, ROUNDS, withBareServer, withService } from './http.ts';
import type { Answered } from './load.ts';

const PROCESSES = [1, 2] as const;

export async function benchIngestRole(figures: Figures, form: Form): Promise<void> {
  const bare = { single: [] as Answered[], batch: [] as Answered[] };
  const ours = PROCESSES.map((processes) => ({ processes, single: [] as Answered[], batch: [] as Answered[] }));
  for (let round = 0; round < ROUNDS; round++) {
    await withBareServer(async (url) => {
      bare.single.push(await load(`${url}/`, SINGLE, 64));
      bare.batch.push(await load(`${url}/`, BATCH, 16));
    });
    for (const { processes, single, batch } of ours) {
      const settings = { INGEST_PROCESSES: String(processes) };
      const measure = async ({ url }: { readonly url: string }): Promise<void> => {
        single.push(await load(`${url}/v1/track`, SINGLE, 64));
        batch.push(await load(`${url}/v1/batch`, BATCH, 16));
      };
      await withService(form, measure, { role: 'ingest', settings });
    }
  }
  for (const { processes, single, batch } of ours) {
    const name = `${form.title}role ingest, INGEST_PROCESSES=${processes}`;
    report(figures, `${name}, single track, 64 connections`, single, bare.single, 1);
    report(figures, `${name}, batch of 100, 16 connections`, batch, bare.batch, 100);
  }
}
