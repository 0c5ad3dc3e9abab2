import type { ComponentChildren } from 'preact';
import type { Json } from '../api/json.ts';
import type { UserEvent } from '../api/types.ts';
import { linkTo } from '../api/address.ts';
import { Facts } from '../parts/page.tsx';
import { JsonView } from '../parts/json/json-view.tsx';
import { exactTime } from '../parts/time.tsx';

interface MessageDetailsProps {
  readonly message: Pick<UserEvent, 'timestamp' | 'received_at' | 'message_id'> &
    Partial<Pick<UserEvent, 'session_id' | 'anonymous_id'>>;
  /** Its properties or traits; undefined where they are too long for the list. */
  readonly value: Json | undefined;
  /** Named where the list has the messages of several. */
  readonly user?: ComponentChildren;
}

/** What is known of a message, where its row opens. */
export function MessageDetails({ message, value, user }: MessageDetailsProps) {
  const facts = {
    User: user,
    Happened: exactTime(message.timestamp),
    Received: exactTime(message.received_at),
    'Message id': <a href={linkTo(['live'], { message: message.message_id })}>{message.message_id}</a>,
    Session: message.session_id ?? undefined,
    'Anonymous id': message.anonymous_id ?? undefined,
  };
  return (
    <div class="details">
      <Facts of={facts} />
      {value === undefined ? <p class="notice">It is too long for this list.</p> : <JsonView value={value} />}
    </div>
  );
}
