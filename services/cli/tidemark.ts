/** The command `tidemark`, in a Node that can read this (tidemark.js). */
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Whatever is made from here on is this user's alone.
process.umask(0o077);

// As services/node.sh has it for the service: a command then begins in half the time.
enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/tidemark', import.meta.url)));
await import('./program.ts');
