import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

// Addresses are relative: the console works behind a proxy that puts the service below a path of its own, too.
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  // `npx vite console` serves the sources, with the interface of a service that runs on the usual port.
  server: { proxy: { '/v1': 'http://127.0.0.1:8080', '/console/session': 'http://127.0.0.1:8080' } },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    manifest: 'manifest.json',
    target: 'es2024',
    // The oldest browsers that keep digits (api/json.ts): `light-dark()` is written out for them.
    cssTarget: ['chrome114', 'edge114', 'firefox135', 'safari18.4'],
    // The content security policy takes no `data:` addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Every file names those that it needs, and no compression shortens a hash: six letters are enough to tell builds apart.
    rolldownOptions: {
      output: { chunkFileNames: 'assets/[name]-[hash:6].js', assetFileNames: 'assets/[name]-[hash:6][extname]' },
    },
  },
});
