/** `#/replays`: what is read again from the log. */
import './replays.css';
import { isAdmin } from '../../frame/session.ts';
import { NeedsAdmin } from '../../parts/needs-admin.tsx';
import { Generations } from './generations.tsx';

export function Screen() {
  return (
    <div class="screen">
      <div class="head">
        <h1>Replays</h1>
      </div>
      {isAdmin.value ? <Generations /> : <NeedsAdmin>Replays concern the whole installation.</NeedsAdmin>}
    </div>
  );
}
