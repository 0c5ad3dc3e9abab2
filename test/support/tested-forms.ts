import { onTestFinished } from 'vitest';
import { canRunOnServers, onServers } from './server-settings.ts';

/** A form of the service that tests run in. */
export interface TestedForm {
  readonly form: string;
  /** Settings of an installation of its own, dropped when the test ends. */
  readonly settings: () => Promise<Record<string, string>>;
}

/** The embedded form, and that on servers where this test run has them. */
export async function testedForms(): Promise<readonly TestedForm[]> {
  const embedded = { form: 'embedded', settings: async () => ({}) };
  return (await canRunOnServers()) ? [embedded, { form: 'on servers', settings: serverSettings }] : [embedded];
}

async function serverSettings(): Promise<Record<string, string>> {
  const servers = await onServers();
  onTestFinished(() => servers?.drop());
  return { ...servers?.settings };
}
