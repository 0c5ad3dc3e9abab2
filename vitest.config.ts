import { defineConfig } from 'vitest/config';
import { testProjects } from './test/support/unit-tests.ts';

const { unit, embedded, servers, long, kafkajs, bothForms } = testProjects();
const globalSetup = ['test/servers/global-setup.ts'];

export default defineConfig({
  test: {
    // Native stores (chDB, PGlite) live in the process: a worker thread that ends takes their state with it.
    pool: 'forks',
    // As services/node.sh has it, and why.
    execArgv: ['--no-wasm-code-gc'],
    // One more than the smallest machine has processors: many tests wait, for a fault to pass or a time to end.
    maxWorkers: 3,
    // Generous: they are there for what hangs, and a machine may be busy with other things.
    testTimeout: 60_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 20_000 } },
    setupFiles: ['test/support/property-failures.ts'],
    // In lines. What is equal is left out, apart from a few lines around each difference.
    diff: { truncateThreshold: 80, contextLines: 3, expand: false },
    projects: [
      // Without isolation the files of a worker share its process and its modules, which take a second to load.
      { test: { name: 'unit', include: [...unit], isolate: false } },
      { test: { name: 'embedded', include: [...embedded], isolate: false, globalSetup } },
      { test: { name: 'servers', include: [...servers], isolate: false, globalSetup } },
      { test: { name: 'long', include: [...long], globalSetup } },
      { test: { name: 'long-servers', include: [...bothForms], env: { TEST_FORM: 'servers' }, globalSetup } },
      { test: { name: 'long-kafkajs', include: [...kafkajs], env: { KAFKA_CLIENT: 'kafkajs' }, globalSetup } },
    ],
  },
});
