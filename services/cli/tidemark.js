#!/usr/bin/env node
/** The command `tidemark`. */
import '../require-node.js';

await import('./tidemark.ts');
