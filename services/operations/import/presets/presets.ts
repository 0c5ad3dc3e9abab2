/** All forms of other products that an import knows. */
import { TidemarkError } from '../../../runtime/errors.ts';
import { AS_IT_IS } from '../mapping/mapping.ts';
import { amplitude, amplitudeUsers } from './amplitude.ts';
import { customerioActivities, customerioPeople } from './customerio.ts';
import { ga4, ga4Users } from './ga4.ts';
import { mixpanel, mixpanelPeople } from './mixpanel.ts';
import { posthog, posthogPersons } from './posthog.ts';
import type { Preset } from './preset.ts';
import { snowplow } from './snowplow.ts';

/** The form of a product that stores the calls of its SDKs as they came. */
function ofSdk(name: string, signs: readonly string[]): Preset {
  return { name, format: 'ndjson', signs, mapping: AS_IT_IS, isOfSdk: true };
}

/** Segment's raw archives: the calls as its libraries sent them. https://segment.com/docs/connections/storage/catalog/aws-s3/ */
const segment = ofSdk('segment', ['messageId', 'type', 'receivedAt', 'integrations']);

/** What RudderStack writes into object storage. https://www.rudderstack.com/docs/destinations/streaming-destinations/amazon-s3/ */
const rudderstack = ofSdk('rudderstack', ['messageId', 'type', 'rudderId']);

/** What Customer.io's storage destinations write. https://docs.customer.io/cdp/destinations/data-warehouses */
const customerio = ofSdk('customerio', ['messageId', 'type', 'context']);

/** The guess takes the first whose signs a record has. */
export const PRESETS: readonly Preset[] = [
  rudderstack,
  segment,
  posthog,
  posthogPersons,
  mixpanel,
  mixpanelPeople,
  amplitude,
  amplitudeUsers,
  ga4,
  ga4Users,
  snowplow,
  customerioActivities,
  customerio,
  customerioPeople,
];

export const PRESET_NAMES: readonly string[] = PRESETS.map(({ name }) => name);

/** @throws TidemarkError `COMMAND_INVALID` for a name that is not there. */
export function presetNamed(name: string | null): Preset | undefined {
  if (name === null) return undefined;
  const found = PRESETS.find((preset) => preset.name === name);
  if (found !== undefined) return found;
  throw new TidemarkError('COMMAND_INVALID', `There is no preset ${name}. There are ${PRESET_NAMES.join(', ')}.`);
}
