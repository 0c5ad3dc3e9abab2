/** A program that creates a cluster in the folder given as its argument, and exits. */
import { PGlite } from '@electric-sql/pglite';
import { engineOptions } from './engine.ts';

const pg = await PGlite.create(engineOptions(process.argv[2]));
await pg.close();
