/** What to do where a message was rejected, for somebody who sends the first. Pure. */
import type { RefusalGroup } from '../../api/types.ts';

const OTHERWISE = 'Correct what is named in the body, and send it again.';

export function remedyOf({ code, pointer, message }: Pick<RefusalGroup, 'code' | 'pointer' | 'message'>): string {
  const name = pointer.split('/').at(-1) ?? '';
  if (code !== 'invalid-body') return BY_CODE[code] ?? OTHERWISE;
  if (message.startsWith('is not JSON')) return 'Send one JSON object, with every name and text in double quotes.';
  return BY_NAME[name] ?? OTHERWISE;
}

/** By the kind of the problem. */
const BY_CODE: Readonly<Record<string, string>> = {
  'unsupported-type': 'Send the header Content-Type: application/json.',
  'unsupported-encoding': 'Send the body as it is, or compressed with gzip.',
  'undecodable-body': 'Send UTF-8, and name the compression in Content-Encoding.',
  'too-large': 'Send fewer or smaller messages in one request.',
  'rate-limited': 'Send fewer requests a second, or raise the limit of the project in Settings.',
  overloaded: 'Send it again after a moment: the service has too much to do.',
  unavailable: 'Send it again after a moment: the service does not take messages now.',
};

const USER =
  'Say whose it is: user_id for a known user, or anonymous_id for a visitor (userId and anonymousId in a batch).';

/** By the member that is at fault. */
const BY_NAME: Readonly<Record<string, string>> = {
  user_id: USER,
  userId: USER,
  anonymous_id: USER,
  anonymousId: USER,
  event: 'Name the event with a text, such as "Order Completed".',
  type: 'Say what each message is: track, identify, page, screen, group or alias.',
  traits: 'Send traits as an object, such as {"plan": "pro"}.',
  properties: 'Send properties as an object, such as {"total": 129.9}.',
  timestamp: 'Write the time as 2026-11-20T10:15:00Z, or leave it out for now.',
  batch: 'Send a list of messages in batch, each with its type.',
};
