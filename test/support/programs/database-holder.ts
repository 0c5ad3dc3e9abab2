import { openDatabase } from '../../../services/stores/database/open.ts';

/** A program of its own: commits a row to the database in the folder, says so, and holds on until it is killed. */
const database = await openDatabase(`pglite:${process.argv[2]}`);
await database.script('create table kept (id int4)');
await database.query('insert into kept values (1)');
process.stdout.write('committed\n');
setInterval(() => undefined, 1_000);
