#!/usr/bin/env node
/** The command `tidemark`. */
import '../require-node.js';
// Before the first file with types: what it keeps is read without Node's parser of types, which takes 60 ms to load.
import './compile-cache.js';

await import('./tidemark.ts');
