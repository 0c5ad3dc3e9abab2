/** Webhooks of a whole service, in one process and where another process sends them. */
import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, test } from 'vitest';
import { identify as messageOf, recordOf } from '../support/messages/messages.ts';
import { recordedIn } from '../support/service/readers-passed.ts';
import { appendToOwnLog, withOwnLog } from '../support/service/own-log.ts';
import { ADMIN_KEY, READ_KEY, ServiceProcess } from '../support/service/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { testedForms } from '../support/service/tested-forms.ts';
import { answer, WebhookReceiver } from '../support/webhooks/webhook-receiver.ts';

const PATIENCE = { timeout: 90_000 };
const POST = { method: 'POST' };

/** The processes of an installation, each by its role; `''` is all of them. */
class Installation {
  readonly #processes = new Map<string, ServiceProcess>();
  readonly #folder: string;
  readonly #settings: Record<string, string>;

  constructor(folder: string, settings: Record<string, string>) {
    this.#folder = folder;
    this.#settings = { ...settings, WEBHOOK_ALLOW: '127.0.0.0/8' };
    onTestFinished(
      async () => void (await Promise.all([...this.#processes.values()].map((one) => one.stop('SIGKILL')))),
    );
  }

  async start(role: string): Promise<void> {
    this.#processes.set(role, await ServiceProcess.start(this.#folder, this.#settings, role));
  }

  process(role: string): ServiceProcess {
    const found = this.#processes.get(role);
    if (found === undefined) throw new Error(`no process has the role ${role}`);
    return found;
  }
}

async function identify(service: ServiceProcess, ...users: readonly string[]): Promise<void> {
  const batch = users.map((user) => ({ type: 'identify', user_id: user, traits: { plan: 'pro', n: 7 } }));
  await recordedIn(service, '/v1/batch', { batch });
}

test.each(await testedForms())(
  'an endpoint is told who enters, also by a process that follows one killed while it sent, $form',
  { timeout: 300_000 },
  async ({ form, settings }) => {
    // On servers another process sends.
    const [http, sender] = form === 'embedded' ? ['', ''] : ['ingest', 'sink'];
    const installation = new Installation(await temporaryFolder(), await settings());
    for (const role of form === 'embedded' ? [''] : ['ingest', 'projector', 'sink']) await installation.start(role);
    const receiver = await WebhookReceiver.start();
    await identify(installation.process(http), 'ada');
    const definition = { trait: 'plan', is: 'pro' };
    const { id } = await installation.process(http).ask<{ id: string }>('/v1/audiences', { name: 'Pro', definition });
    const made = { url: receiver.url, initial: 'members', traits: 'n', audiences: [id] };
    const endpoint = await installation.process(http).ask<{ id: string; secret: string }>('/v1/endpoints', made);
    const tested = await installation.process(http).ask(`/v1/endpoints/${endpoint.id}/test`, undefined, POST);
    expect(tested).toMatchObject({ type: 'endpoint.test', state: 'delivered', last_attempt: { status: 200 } });

    // It dies after the message has come and before it is answered.
    const killed = Promise.withResolvers<void>();
    receiver.answering = () =>
      void installation
        .process(sender)
        .stop('SIGKILL')
        .then(() => killed.resolve());
    await installation.process(http).ask(`/v1/audiences/${id}/evaluate`, undefined, POST);
    await killed.promise;
    receiver.answering = answer(204);
    await installation.start(sender);

    await expect.poll(() => receiver.received.length, PATIENCE).toBe(3);
    expect(receiver.told.slice(1)).toEqual([['ada entered first'], ['ada entered first']]);
    expect(receiver.ids[1]).toBe(receiver.ids[2]);
    const { body = '', headers = {} } = receiver.received[2] ?? {};
    expect(new Webhook(endpoint.secret).verify(body, headers)).toMatchObject({
      data: { audience: { id, name: 'Pro' }, changes: [{ user_id: 'ada', traits: { n: 7 } }] },
    });
    const deliveries = async (): Promise<unknown> => {
      const path = `/v1/endpoints/${endpoint.id}/deliveries`;
      const listed = await installation.process(http).request(path, undefined, { api_key: READ_KEY });
      return ((await listed.json()) as { deliveries: unknown }).deliveries;
    };
    const delivered = { id: receiver.ids[2], state: 'delivered', last_attempt: { status: 204 } };
    await expect.poll(deliveries, PATIENCE).toMatchObject([delivered, { type: 'endpoint.test' }]);
    const metrics = await (await installation.process(sender).request('/metrics')).text();
    expect(metrics).toContain('tidemark_webhook_attempts_total{result="delivered"} 1');
    expect(await installation.process(sender).stop()).toBe(0);
  },
);

test('an endpoint of the installation is told of a dead letter', { timeout: 300_000 }, async () => {
  const folder = await temporaryFolder();
  const installation = new Installation(folder, withOwnLog(folder));
  await installation.start('');
  const service = installation.process('');
  const receiver = await WebhookReceiver.start();
  const asAdmin = <T>(path: string, body?: object): Promise<T> => service.ask(path, body, { key: ADMIN_KEY });
  const made = { url: receiver.url, types: ['dead_letter.waiting', 'verification.differs'] };
  const endpoint = await asAdmin<{ id: string; secret: string }>('/v1/endpoints', made);
  const { projects } = await asAdmin<{ projects: { id: string }[] }>('/v1/admin/projects');
  const projectId = projects[0]?.id ?? '';

  // Postgres has no text with a NUL.
  const record = recordOf(messageOf({ projectId, userId: 'eve\0' }));
  await appendToOwnLog(service.dataDir, [{ topic: 'tidemark.identify', ...record }]);

  await expect.poll(() => receiver.received.length, PATIENCE).toBe(1);
  const { body = '', headers = {} } = receiver.received[0] ?? {};
  expect(new Webhook(endpoint.secret).verify(body, headers)).toMatchObject({
    type: 'dead_letter.waiting',
    data: { topic: 'tidemark.identify', project_id: projectId, code: 'STORE_REJECTED', waiting: 1 },
  });
  const deliveries = (): Promise<unknown> => asAdmin(`/v1/endpoints/${endpoint.id}/deliveries`);
  await expect
    .poll(deliveries, PATIENCE)
    .toMatchObject({ deliveries: [{ type: 'dead_letter.waiting', state: 'delivered', audience_id: null }] });
});
