import { fileNameOf, TextFile } from '../../parts/text-file.ts';
import type { UserName } from '../user-link.ts';
import { exportLines } from './export-lines.ts';

/** Saves everything about one user as NDJSON, only when it is whole. @throws ApiError */
export async function saveExport(name: UserName, tell: (lines: number) => void, signal: AbortSignal): Promise<void> {
  const file = new TextFile();
  for await (const line of exportLines(name, signal)) {
    file.add(line);
    if (file.count % 1_000 === 0) tell(file.count);
  }
  file.save(`user-${fileNameOf(name.id)}.ndjson`);
}
