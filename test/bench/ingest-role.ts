/** The role ingest alone, as it runs where the readers are elsewhere, in one process and in two on one port. */
import { SHAPES } from './bodies.ts';
import { type Figures, ROUNDS } from './figures.ts';
import type { Form } from './forms.ts';
import { withService } from './http.ts';
import { type Measured, measureInTurn, reportInTurn, withBareServer } from './in-turn.ts';

const PROCESSES = [1, 2] as const;

export async function benchIngestRole(figures: Figures, form: Form): Promise<void> {
  for (const processes of PROCESSES) {
    const title = `${form.title}role ingest, INGEST_PROCESSES=${processes}, `;
    const settings = { INGEST_PROCESSES: String(processes) };
    const measured: Record<keyof typeof SHAPES, Measured> = {
      single: { ours: [], bare: [] },
      batch: { ours: [], bare: [] },
    };
    for (let round = 0; round < ROUNDS; round++) {
      await withBareServer((bare) =>
        withService(
          form,
          async (service) => {
            await measureInTurn(measured.single, SHAPES.single, service, bare);
            await measureInTurn(measured.batch, SHAPES.batch, service, bare);
          },
          { role: 'ingest', settings },
        ),
      );
    }
    reportInTurn(figures, title, SHAPES.single, measured.single);
    reportInTurn(figures, title, SHAPES.batch, measured.batch);
  }
}
