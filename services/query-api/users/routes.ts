import type { Route } from '../../http/route.ts';
import { limitedTo, type Limited, PAGE, READ } from '../route-parts.ts';
import { answerExport, EXPORT_PARAMETERS, type ExportParts } from './export.ts';
import { answerUsers, SEARCH_PARAMETERS } from './search.ts';
import { answerTraitHistory, HISTORY_PARAMETERS } from './trait-history.ts';
import { answerUserAudiences, AUDIENCES_PARAMETERS } from './user-audiences.ts';
import { answerEvents, answerOtherEvents, answerProfile } from './users.ts';

/** Exports of users: each may have 16 MB of a page in memory. */
const OPEN_EXPORTS = 8;

const OTHER_IDS = ['anonymous_id', 'internal_id'] as const;
const EVENTS = ['event', 'since', 'until', ...PAGE] as const;

type UserRouteParts = Parameters<typeof answerUsers>[0] & Parameters<typeof answerUserAudiences>[0] & ExportParts;

/** All that is read of users, and their events. */
export function userRoutes(parts: UserRouteParts, question: Limited, page: Limited): Route[] {
  const ask = { ...READ, ...question };
  const one = '/v1/users/:user_id';
  return [
    { ...READ, ...page, path: '/v1/users', query: SEARCH_PARAMETERS, handle: (call) => answerUsers(parts, call) },
    {
      ...READ,
      ...page,
      path: '/v1/events',
      query: [...OTHER_IDS, ...EVENTS],
      handle: (call) => answerOtherEvents(parts, call),
    },
    { ...READ, path: one, query: ['by'], handle: (call) => answerProfile(parts, call) },
    {
      ...READ,
      ...page,
      path: `${one}/events`,
      query: ['by', ...EVENTS],
      handle: (call) => answerEvents(parts, call),
    },
    {
      ...ask,
      path: `${one}/audiences`,
      query: AUDIENCES_PARAMETERS,
      handle: (call) => answerUserAudiences(parts, call),
    },
    {
      ...READ,
      ...limitedTo(OPEN_EXPORTS),
      path: `${one}/export`,
      query: EXPORT_PARAMETERS,
      handle: (call) => answerExport(parts, call),
    },
    {
      ...ask,
      path: `${one}/traits/:name/history`,
      // A trait may have an empty name, which a parameter of a path may not be.
      aliases: [`${one}/traits//history`],
      query: HISTORY_PARAMETERS,
      handle: (call) => answerTraitHistory(parts, call),
    },
  ];
}
