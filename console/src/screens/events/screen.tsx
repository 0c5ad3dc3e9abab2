import { address } from '../../frame/router.ts';
import { useRowKeys } from '../../parts/loading/use-rows.ts';
import { Catalog } from './catalog.tsx';
import { EventPage } from './event-page.tsx';
import './events.css';

/** `#/events`, the names; `#/events/{name}` with a question. */
export function Screen() {
  const event = address.value.path[1];
  useRowKeys();
  return event === undefined ? <Catalog /> : <EventPage key={event} event={event} />;
}
