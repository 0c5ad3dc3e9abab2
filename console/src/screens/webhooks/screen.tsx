import { address } from '../../api/address.ts';
import { WebhookPage } from './webhook.tsx';
import { Webhooks } from './list.tsx';

/** `#/webhooks`: where changes of audiences are posted to; `#/webhooks/{id}`: one, with what was sent to it. */
export function WebhooksScreen() {
  const id = address.value.path[1];
  return id === undefined ? <Webhooks /> : <WebhookPage key={id} id={id} />;
}
