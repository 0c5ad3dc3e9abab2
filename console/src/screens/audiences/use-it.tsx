/** The same audience for a terminal, for programs and for those who query analytics. */
import { operation } from '../../../../schemas/operations.ts';
import type { SavedAudience } from '../../api/types.ts';
import { isOnKafka, mayChangeAudiences, project } from '../../api/session.ts';
import { Command, curlText, KeyNote, tidemarkText } from '../../parts/copy-as.tsx';
import { DocsLink } from '../../parts/docs-link.tsx';
import { TOPIC_URL } from '../webhooks/words.ts';
import { traitsFor } from '../user-columns.ts';

const WAIT_S = 30;

export function UseIt({ audience: { id, definition } }: { readonly audience: SavedAudience }) {
  const path = { id };
  const traits = traitsFor(definition).join(',');
  const members = operation('GET /v1/audiences/{id}/members', { path, query: { format: 'csv', traits } });
  const changes = operation('GET /v1/audiences/{id}/changes', { path, query: { wait: WAIT_S, traits } });
  return (
    <section class="use-it text" aria-labelledby="use-it">
      <h2 id="use-it">Use it</h2>
      <p>All members now, as CSV with these traits.</p>
      <Command name="Members, by curl" text={curlText({ request: members, isStream: true })} />
      <Command
        name="Members, by tidemark"
        text={tidemarkText(['audience', 'members', id, '--traits', traits, '--format', 'csv'])}
      />
      <p>
        Who joined and left. It waits for {WAIT_S} seconds where nobody did; ask again <code>since</code> where the last
        answer ends (<code>through</code>).
      </p>
      <Command name="Changes, by curl" text={curlText({ request: changes, isStream: true })} />
      <Command name="Changes, by tidemark" text={tidemarkText(['audience', 'changes', id])} />
      <p>A webhook has the same changes posted to your URL. Analytics has the members as a view.</p>
      <Endpoints audience={id} traits={traits} />
      <Command name="Members, by ClickHouse" text={membersSql(id)} what="the SQL of the members" />
      <KeyNote />
    </section>
  );
}

/** Where changes go, for a key that may have them sent. */
function Endpoints({ audience, traits }: { readonly audience: string; readonly traits: string }) {
  if (!mayChangeAudiences.value) return <p class="quiet">A webhook is made with a key that has the scope audiences.</p>;
  const create = ['endpoint', 'create', '--audience', audience, '--traits', traits];
  return (
    <>
      <Command name="Webhook, by tidemark" text={tidemarkText([...create, 'https://example.com/hook'])} />
      {isOnKafka.value && (
        <>
          <p>
            Those who stream have a record of each change on Kafka.{' '}
            <DocsLink path="docs/foreign-readers.md#python">How to read it</DocsLink>
          </p>
          <Command name="Kafka, by tidemark" text={tidemarkText([...create, TOPIC_URL])} />
        </>
      )}
    </>
  );
}

function membersSql(audience: string): string {
  const named = `project = '${project.value?.id ?? ''}', audience = '${audience}'`;
  return `SELECT user_id, anonymous_id, entered_at FROM audience_members_now(${named})`;
}
