import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/servers/global-setup.ts'],
    // Native stores (LMDB, chDB, PGlite) live in the process: a worker thread that ends takes their state with it.
    pool: 'forks',
    maxWorkers: 2,
    // Generous: they are there for what hangs, and a machine may be busy with other things.
    testTimeout: 60_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 20_000 } },
  },
});
