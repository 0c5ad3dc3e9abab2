import { address } from '../../api/address.ts';
import { Catalog } from './catalog.tsx';
import { EventPage } from './event-page.tsx';
import './events.css';

/** `#/events`, the names; `#/events/{name}` with a question. */
export function EventsScreen() {
  const event = address.value.path[1];
  return event === undefined ? <Catalog /> : <EventPage key={event} event={event} />;
}
