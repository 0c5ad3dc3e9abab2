/** A program: makes a new cluster in the folder that its argument names, as `cluster` and as `cluster.tar`. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { engineOptions } from '../../services/stores/database/pglite/engine.ts';

const folder = process.argv[2] ?? '';
const cluster = join(folder, 'cluster');
await mkdir(folder, { recursive: true });
const pg = await PGlite.create(engineOptions(cluster));
const dump = await pg.dumpDataDir('none');
await pg.close();
await writeFile(join(folder, 'cluster.tar'), dump.stream());
