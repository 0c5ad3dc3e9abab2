/** A program: makes a new cluster in the folder that its argument names, and ends. */
import { PGlite } from '@electric-sql/pglite';
import { engineOptions } from './engine.ts';

const pg = await PGlite.create(engineOptions(process.argv[2]));
await pg.close();
