/** A program of its own: once it reads a line it opens the ids of a registry and says them. Arguments: URL, prefix. */
import { once } from 'node:events';
import { SCHEMA_TOPICS } from '../../../services/messages/message.ts';
import { openSchemaIds } from '../../../services/messages/registry/open.ts';

const [url, topicPrefix] = process.argv.slice(2);
process.stdout.write('ready\n');
await once(process.stdin, 'data');
const ids = await openSchemaIds(url, { topicPrefix });
process.stdout.write(`${SCHEMA_TOPICS.map((topic) => ids.idOf(topic)).join(' ')}\n`);
process.exit();
