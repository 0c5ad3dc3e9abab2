/** Every screen that is finished, in the order of the navigation. */
import { computed } from '@preact/signals';
import type { ComponentType } from 'preact';
import type { Address } from '../api/address.ts';
import { isAdmin, mayChangeAudiences } from '../api/session.ts';

export interface Screen {
  readonly name: string;
  /** The first part of the address; '' is what opens first. */
  readonly path: string;
  /** The key behind `g` that goes there. */
  readonly key: string;
  /** Above its first in the navigation; '' for none. */
  readonly group: string;
  /** The screen that leads to it, where it is not in the navigation itself. */
  readonly below?: string;
  /** The permission that it takes beside reading: without it, the screen is not in the navigation. */
  readonly needs?: 'admin' | 'audiences';
  /** Path of a 16 by 16 drawing, stroked. */
  readonly icon: string;
  readonly load: () => Promise<ComponentType>;
}

const SCREENS: readonly Screen[] = [
  {
    name: 'Today',
    group: 'Data',
    path: '',
    key: 't',
    icon: 'M2 8h3l2-5 3 10 2-5h2',
    load: async () => (await import('../screens/today/screen.tsx')).TodayScreen,
  },
  {
    name: 'Live',
    group: 'Data',
    path: 'live',
    key: 'l',
    icon: 'M8 7.2a.8.8 0 1 0 0 1.600.8.8 0 0 0 0-1.600M5.200 5.200a4 4 0 0 0 0 5.600m5.600 0a4 4 0 0 0 0-5.600M3 3a7 7 0 0 0 0 10m10 0a7 7 0 0 0 0-10',
    load: async () => (await import('../screens/live/screen.tsx')).LiveScreen,
  },
  {
    name: 'Events',
    group: 'Data',
    path: 'events',
    key: 'e',
    icon: 'M2.500 13.500h11M4 11V8m4 3V3.500M12 11V6',
    load: async () => (await import('../screens/events/screen.tsx')).EventsScreen,
  },
  {
    name: 'Users',
    group: 'Data',
    path: 'users',
    key: 'u',
    icon: 'M8 2.500a2.700 2.700 0 1 0 0 5.400 2.700 2.700 0 0 0 0-5.400M2.800 13.500c.4-2.900 2.400-4.300 5.200-4.300s4.800 1.400 5.200 4.300',
    load: async () => (await import('../screens/users/screen.tsx')).UsersScreen,
  },
  {
    name: 'Audiences',
    group: 'Engage',
    path: 'audiences',
    key: 'a',
    icon: 'M5.800 3a2.300 2.300 0 1 0 0 4.600 2.300 2.300 0 0 0 0-4.600M1.500 13c.3-2.600 2-3.800 4.300-3.800s4 1.200 4.300 3.800M10.500 3.200a2.200 2.200 0 0 1 0 4.200M12 9.500c1.500.5 2.300 1.700 2.500 3.500',
    load: async () => (await import('../screens/audiences/screen.tsx')).AudiencesScreen,
  },
  {
    name: 'Webhooks',
    group: 'Engage',
    needs: 'audiences',
    path: 'webhooks',
    key: 'w',
    icon: 'M3.500 8a4.500 4.500 0 0 0 4.500 4.500h5m0 0-2.500-2.500m2.500 2.500L10.500 15M12.500 8A4.500 4.500 0 0 0 8 3.500H3m0 0L5.500 1M3 3.500 5.500 6',
    load: async () => (await import('../screens/webhooks/screen.tsx')).WebhooksScreen,
  },
  {
    name: 'Pipeline',
    group: 'Operate',
    needs: 'admin',
    path: 'pipeline',
    key: 'p',
    icon: 'M2 8h4m0 0c2 0 2-4 4-4h4M6 8c2 0 2 4 4 4h4',
    load: async () => (await import('../screens/pipeline/screen.tsx')).PipelineScreen,
  },
  {
    name: 'Dead letters',
    group: 'Operate',
    needs: 'admin',
    path: 'dead-letters',
    key: 'd',
    icon: 'M2 3.500h12v9H2zM2 4l6 5 6-5',
    load: async () => (await import('../screens/dead-letters/screen.tsx')).DeadLettersScreen,
  },
  {
    name: 'Imports',
    group: 'Operate',
    needs: 'admin',
    path: 'imports',
    key: 'i',
    icon: 'M8 2v7m0 0L5 6m3 3 3-3M2.500 10.500v2.500h11v-2.500',
    load: async () => (await import('../screens/replays/screen.tsx')).ImportsScreen,
  },
  {
    name: 'Replays',
    group: 'Operate',
    below: 'pipeline',
    needs: 'admin',
    path: 'replays',
    key: 'r',
    icon: 'M13 8a5 5 0 1 1-1.600-3.700M13.200 2.200v2.600h-2.600M8 5.200v3l2 1.400',
    load: async () => (await import('../screens/replays/screen.tsx')).ReplaysScreen,
  },
  {
    name: 'Backups',
    group: 'Operate',
    needs: 'admin',
    path: 'backups',
    key: 'b',
    icon: 'M2.500 3h11v3.500h-11zM3.500 6.500V13h9V6.500M6.500 9h3',
    load: async () => (await import('../screens/backups/screen.tsx')).BackupsScreen,
  },
  {
    name: 'Settings',
    group: '',
    path: 'settings',
    key: 's',
    icon: 'M2 4.500h6m4 0h2M2 11.500h2m4 0h6M10 2.700a1.800 1.800 0 1 0 0 3.600 1.800 1.800 0 0 0 0-3.600M6 9.700a1.800 1.800 0 1 0 0 3.600 1.800 1.800 0 0 0 0-3.600',
    load: async () => (await import('../screens/settings/screen.tsx')).SettingsScreen,
  },
];

/** Undefined where no screen has this address. */
export function screenAt({ path: [first = ''] }: Address): Screen | undefined {
  return SCREENS.find(({ path }) => path === first);
}

/** Those that the key of the session opens. */
export const openScreens = computed(() =>
  SCREENS.filter(({ needs }) => needs === undefined || (needs === 'admin' ? isAdmin : mayChangeAudiences).value),
);
