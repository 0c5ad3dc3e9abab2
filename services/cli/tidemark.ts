#!/usr/bin/env node
/** The command `tidemark`. */
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// As services/node.sh has it for the service: a command then begins in half the time.
enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/tidemark', import.meta.url)));
await import('./program.ts');
