import type { ComponentChildren } from 'preact';
import type { UserEvent } from '../api/types.ts';
import { linkTo } from '../frame/router.ts';
import { Facts } from '../parts/facts.tsx';
import { JsonView } from '../parts/json/json-view.tsx';
import { exactTime, zoneChoice, zoneOf } from '../parts/time.tsx';

interface EventDetailsProps {
  readonly event: UserEvent;
  /** Named where the list has the events of several. */
  readonly user?: ComponentChildren;
}

/** What is known of an event, where its row opens. */
export function EventDetails({ event, user }: EventDetailsProps) {
  const zone = zoneOf(zoneChoice.value);
  const facts = {
    User: user,
    Happened: exactTime(event.timestamp, zone),
    Received: exactTime(event.received_at, zone),
    'Message id': <a href={linkTo(['live'], { message: event.message_id })}>{event.message_id}</a>,
    Session: event.session_id ?? undefined,
    'Anonymous id': event.anonymous_id ?? undefined,
  };
  return (
    <div class="details">
      <Facts of={facts} />
      <JsonView value={event.properties} />
    </div>
  );
}
