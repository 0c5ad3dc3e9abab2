import { onTestFinished } from 'vitest';
import { canRunOnServers, onServers } from './server-settings.ts';
import { TESTED_FORM } from './tested-form.ts';

/** A form of the service that tests run in. */
export interface TestedForm {
  readonly form: 'embedded' | 'servers';
  /** Those of an installation of its own, dropped when the test ends. */
  readonly settings: () => Promise<Record<string, string>>;
}

/** The embedded form; at night that on servers, where this test run has them. */
export async function testedForms(): Promise<readonly TestedForm[]> {
  if (TESTED_FORM === 'embedded' || !(await canRunOnServers()))
    return [{ form: 'embedded', settings: async () => ({}) }];
  return [{ form: 'servers', settings: serverSettings }];
}

async function serverSettings(): Promise<Record<string, string>> {
  const servers = await onServers();
  onTestFinished(() => servers?.drop());
  return { ...servers?.settings };
}
