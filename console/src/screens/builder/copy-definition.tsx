import { useState } from 'preact/hooks';
import { ApiError, ask } from '../../api/client.ts';
import { type Json, jsonText } from '../../api/json.ts';
import { operation } from '../../../../schemas/operations.ts';
import type { AudienceExplanation } from '../../api/types.ts';
import { Command, CopyAs } from '../../parts/copy-as.tsx';
import { formatJson } from './json-text.ts';

/** The count for a terminal, the definition, and the SQL that it is asked for by. */
export function CopyDefinition({ definition }: { readonly definition: Json }) {
  const body = jsonText({ definition });
  const tidemark = ['audience', 'preview', jsonText(definition)];
  return (
    <CopyAs request={operation('POST /v1/audiences/preview', { body })} tidemark={tidemark}>
      <Command name="JSON" text={formatJson(definition)} />
      <Sql key={body} body={body} />
    </CopyAs>
  );
}

/** Made when it is wanted: the service asks the store what it would read. */
function Sql({ body }: { readonly body: string }) {
  const [explained, setExplained] = useState<AudienceExplanation | ApiError>();
  const explain = (): void => {
    ask(operation('POST /v1/audiences/explain', { body })).then(setExplained, (error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
      setExplained(error);
    });
  };
  if (explained instanceof ApiError) return <p class="field-error">{explained.message}</p>;
  if (explained !== undefined) return <Command name="SQL" text={`${explained.sql};`} />;
  return (
    <button type="button" onClick={explain}>
      Show the SQL
    </button>
  );
}
