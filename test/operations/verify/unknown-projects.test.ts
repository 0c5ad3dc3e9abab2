import { expect, test } from 'vitest';
import { storesToVerify } from '../../../services/operations/verify/live-stores.ts';
import { verify } from '../../../services/operations/verify/verify.ts';
import { NO_LIMITS } from '../../../services/stores/projects/project-store.ts';
import { SqlProjectStore } from '../../../services/stores/projects/sql-project-store.ts';
import { MessageMaker } from '../../support/stores/analytics.ts';
import { sharedInstallation } from '../../support/service/whole-installation.ts';

const installation = sharedInstallation('embedded');

test('messages of a project that the database does not have are counted, until it is there', async () => {
  const maker = new MessageMaker();
  const { projectId } = maker;
  const report = async () => verify(await storesToVerify(installation()), { projectId }, { repeatWindowMs: 1_000 });
  await installation().append([maker.track(), maker.identify({ traits: '{"a":1}' })]);
  await installation().readAll();

  const before = await report();
  const project = { ...NO_LIMITS, id: projectId, name: 'Shop', timezone: 'UTC', rateLimit: null, createdAtMs: 0 };
  await new SqlProjectStore(installation().database).addLostProject(project);
  const after = await report();

  expect(before).toMatchObject({ equal: true, unknown_projects: { messages: 2, projects: [projectId] } });
  expect(after.unknown_projects).toEqual({ messages: 0, projects: [] });
});
