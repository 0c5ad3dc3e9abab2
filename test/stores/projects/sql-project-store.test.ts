import { describe } from 'vitest';
import { SqlProjectStore } from '../../../services/stores/projects/sql-project-store.ts';
import { testProjectStore } from '../../contract/project-store.ts';
import { DATABASES } from '../../support/stores/tested-databases.ts';

describe.each(DATABASES)('on $name', ({ name, share }) => {
  const database = share();
  testProjectStore(name, async () => {
    await database().script('truncate projects, api_keys, audiences cascade');
    return new SqlProjectStore(database());
  });
});
