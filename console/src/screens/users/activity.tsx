/** How much a user did: the facts, and the events of each of the last 90 days. */
import { operation } from '../../api/client.ts';
import { countOf } from '../../api/json.ts';
import type { Profile, UserActivity } from '../../api/types.ts';
import { linkTo } from '../../api/address.ts';
import { Facts } from '../../parts/facts.tsx';
import { Problem } from '../../parts/loading/states.tsx';
import { useAnswer } from '../../parts/loading/use-load.tsx';
import { count, counted } from '../../parts/numbers.ts';
import { Ago } from '../../parts/time.tsx';
import { targetOf, type UserName } from '../user-link.ts';

export function Activity({ name, profile }: { readonly name: UserName; readonly profile: Profile }) {
  const { value: activity, error, retry } = useAnswer(operation('GET /v1/users/{user_id}/activity', targetOf(name)));
  const [top] = activity?.top_events ?? [];
  // Those that are joined have a part of the page.
  const joined = profile.joined_ids ?? [];
  const ids = profile.anonymous_ids.filter((id) => joined.every(({ anonymous_id: one }) => one !== id));
  const facts = {
    Events: activity === undefined ? '…' : counted(activity.events),
    'Top event': top && (
      <>
        <a href={linkTo(['events', top.name])}>{top.name}</a> <span class="quiet">{counted(top.count)}</span>
      </>
    ),
    'First seen': <Ago at={profile.first_seen} />,
    'Last seen': <Ago at={profile.last_seen} />,
    [joined.length === 0 ? 'Anonymous ids' : 'Other anonymous ids']:
      ids.length === 0 || profile.user_id === null ? undefined : <Ids ids={ids} />,
  };
  return (
    <section class="card user-activity" aria-label="Activity">
      <Facts of={facts} />
      {error !== undefined && <Problem error={error} retry={retry} />}
      {activity !== undefined && <Days days={activity.days} />}
    </section>
  );
}

const HEIGHT = 40;
const STEP = 10;

/** A bar for each day, whose height says how many events it has. */
function Days({ days }: Pick<UserActivity, 'days'>) {
  const most = Math.max(1, ...days.map((day) => countOf(day.count)));
  const active = days.filter((day) => countOf(day.count) > 0).length;
  const label = `Active on ${count(active)} of the last ${count(days.length)} days`;
  return (
    <figure class="days-strip">
      <svg viewBox={`0 0 ${days.length * STEP} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
        {days.map(({ day, count: events }, index) => {
          const height = countOf(events) === 0 ? 2 : 6 + (countOf(events) / most) * (HEIGHT - 6);
          return (
            <rect
              key={day}
              class={countOf(events) === 0 ? 'none' : ''}
              x={index * STEP}
              y={HEIGHT - height}
              width={STEP - 3}
              height={height}
            >
              <title>{`${day}: ${count(countOf(events))} events`}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption class="quiet small">{label}</figcaption>
    </figure>
  );
}

function Ids({ ids }: { readonly ids: readonly string[] }) {
  return (
    <>
      {ids.slice(0, 3).map((id) => (
        <a key={id} class="id" href={linkTo(['users'], { anonymous_id: id })}>
          {id}
        </a>
      ))}
      {ids.length > 3 && <span class="quiet">and {ids.length - 3} more</span>}
    </>
  );
}
