import type { Route, RouteSet } from '../http/route.ts';
import type { AdminPort } from './admin-commands.ts';
import {
  answerDeadLetter,
  answerDeadLetters,
  answerEdit,
  answerResolution,
  DEAD_LETTER_PARAMETERS,
} from './dead-letters.ts';
import { answerBuild, answerGenerations, answerRate, answerRollback, answerStep } from './generations.ts';
import {
  answerJobCancel,
  answerJobs,
  answerJobState,
  JOB_PARAMETERS,
  VERIFICATION_PARAMETERS,
} from './jobs/job-answers.ts';
import {
  answerAdminKeys,
  answerNewAdminKey,
  answerNewProject,
  answerNewProjectKey,
  answerProject,
  answerProjectChange,
  answerProjectKeys,
  answerProjects,
  answerRevokedKey,
} from './projects.ts';
import { answerProjectDelete, DELETION_PARAMETERS } from './project-deletion.ts';
import { answerVerification, answerVerificationHours, answerVerifications, HOUR_PARAMETERS } from './verifications.ts';

const ADMIN_BODY_BYTES = 32_768;
/** Dead letters may be named one by one; a record may be as large as the log takes. */
const SELECTION_LIMIT_BYTES = 1_048_576;

const PAGE = ['limit', 'cursor'] as const;

const GET = { method: 'GET', scope: 'admin', style: 'problem', bodyLimitBytes: null, query: [] } as const;
const DELETE = { ...GET, method: 'DELETE' } as const;
const POST = { ...GET, method: 'POST', bodyLimitBytes: ADMIN_BODY_BYTES } as const;
const PATCH = { ...POST, method: 'PATCH' } as const;
/** For what the path says whole. */
const BARE_POST = { ...GET, method: 'POST' } as const;

/** What operators do over HTTP. */
export function adminRoutes(port: AdminPort): RouteSet {
  return { routes: [...projectRoutes(port), ...deadLetterRoutes(port), ...generationRoutes(port), ...jobRoutes(port)] };
}

function projectRoutes(port: AdminPort): Route[] {
  const all = '/v1/admin/projects';
  const one = `${all}/:id`;
  return [
    { ...GET, path: all, query: PAGE, handle: (call) => answerProjects(port, call) },
    { ...POST, path: all, handle: (call) => answerNewProject(port, call) },
    { ...GET, path: one, handle: (call) => answerProject(port, call) },
    { ...PATCH, path: one, handle: (call) => answerProjectChange(port, call) },
    { ...DELETE, path: one, query: DELETION_PARAMETERS, handle: (call) => answerProjectDelete(port, call) },
    { ...GET, path: `${one}/keys`, query: PAGE, handle: (call) => answerProjectKeys(port, call) },
    { ...POST, path: `${one}/keys`, handle: (call) => answerNewProjectKey(port, call) },
    { ...GET, path: '/v1/admin/keys', query: PAGE, handle: (call) => answerAdminKeys(port, call) },
    { ...POST, path: '/v1/admin/keys', handle: (call) => answerNewAdminKey(port, call) },
    { ...DELETE, path: '/v1/admin/keys/:id', handle: (call) => answerRevokedKey(port, call) },
  ];
}

function deadLetterRoutes(port: AdminPort): Route[] {
  const all = '/v1/admin/dead-letters';
  const select = { ...POST, bodyLimitBytes: SELECTION_LIMIT_BYTES } as const;
  return [
    { ...GET, path: all, query: DEAD_LETTER_PARAMETERS, handle: (call) => answerDeadLetters(port, call) },
    { ...GET, path: `${all}/:id`, handle: (call) => answerDeadLetter(port, call) },
    { ...select, path: `${all}/:id/edit`, query: ['dry_run'], handle: (call) => answerEdit(port, call) },
    { ...select, path: `${all}/replay`, handle: (call) => answerResolution(port, call, 'replay') },
    { ...select, path: `${all}/drop`, handle: (call) => answerResolution(port, call, 'drop') },
  ];
}

function generationRoutes(port: AdminPort): Route[] {
  const all = '/v1/admin/generations';
  const one = `${all}/:kind/:number`;
  return [
    { ...GET, path: all, handle: (call) => answerGenerations(port, call) },
    { ...POST, path: all, query: ['dry_run'], handle: (call) => answerBuild(port, call) },
    { ...PATCH, path: one, handle: (call) => answerRate(port, call) },
    { ...BARE_POST, path: `${one}/compare`, handle: (call) => answerStep(port, call, 'compare') },
    { ...BARE_POST, path: `${one}/swap`, handle: (call) => answerStep(port, call, 'swap') },
    { ...POST, path: `${one}/rollback`, handle: (call) => answerRollback(port, call) },
    { ...BARE_POST, path: `${one}/drop`, handle: (call) => answerStep(port, call, 'drop') },
  ];
}

function jobRoutes(port: AdminPort): Route[] {
  const all = '/v1/admin/jobs';
  const one = `${all}/:id`;
  const verifications = '/v1/admin/verifications';
  return [
    { ...POST, path: verifications, handle: (call) => answerVerification(port, call) },
    { ...GET, path: verifications, query: VERIFICATION_PARAMETERS, handle: (call) => answerVerifications(port, call) },
    {
      ...GET,
      path: `${verifications}/:id`,
      query: HOUR_PARAMETERS,
      handle: (call) => answerVerificationHours(port, call),
    },
    { ...GET, path: all, query: JOB_PARAMETERS, handle: (call) => answerJobs(port, call) },
    { ...GET, path: one, query: ['wait'], handle: (call) => answerJobState(port, call) },
    { ...DELETE, path: one, handle: (call) => answerJobCancel(port, call) },
  ];
}
