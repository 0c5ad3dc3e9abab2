import { testProjectStore } from '../../contract/project-store.ts';
import { MemoryProjectStore } from '../../support/http/memory-project-store.ts';

testProjectStore('the fake in memory', { open: async () => new MemoryProjectStore() });
