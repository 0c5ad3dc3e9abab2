import type { Route, RouteSet } from '../http/route.ts';
import {
  answerDeadLetter,
  answerDeadLetters,
  answerEdit,
  answerResolution,
  DEAD_LETTER_PARAMETERS,
} from './dead-letters.ts';
import { refusalForOperators } from './failures.ts';
import { answerBuild, answerGenerations, answerRate, answerRollback, answerStep } from './generations.ts';
import {
  answerJobCancel,
  answerJobs,
  answerJobState,
  JOB_PARAMETERS,
  VERIFICATION_PARAMETERS,
} from './jobs/job-answers.ts';
import type { AdminPorts } from './ports.ts';
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

const ADMIN = { scope: 'admin', style: 'problem', refusalOf: refusalForOperators } as const;
const GET = { ...ADMIN, method: 'GET', bodyLimitBytes: null, query: [] } as const;
const DELETE = { ...GET, method: 'DELETE' } as const;
const POST = { ...GET, method: 'POST', bodyLimitBytes: ADMIN_BODY_BYTES } as const;
const PATCH = { ...POST, method: 'PATCH' } as const;
/** For what the path says whole. */
const BARE_POST = { ...GET, method: 'POST' } as const;

export interface AdminParts extends AdminPorts {
  /** That of a project that names none. */
  readonly timezone: string;
}

/** What operators do over HTTP. */
export function adminRoutes(parts: AdminParts): RouteSet {
  const all = [projectRoutes, deadLetterRoutes, generationRoutes, verificationRoutes, jobRoutes];
  return { routes: all.flatMap((routesOf) => routesOf(parts)) };
}

function projectRoutes(parts: AdminParts): Route[] {
  const { projects, timezone } = parts;
  const all = '/v1/admin/projects';
  const one = `${all}/:id`;
  return [
    { ...GET, path: all, query: PAGE, handle: (call) => answerProjects(projects, call) },
    { ...POST, path: all, handle: (call) => answerNewProject(projects, timezone, call) },
    { ...GET, path: one, handle: (call) => answerProject(projects, call) },
    { ...PATCH, path: one, handle: (call) => answerProjectChange(projects, call) },
    { ...DELETE, path: one, query: DELETION_PARAMETERS, handle: (call) => answerProjectDelete(parts, call) },
    { ...GET, path: `${one}/keys`, query: PAGE, handle: (call) => answerProjectKeys(projects, call) },
    { ...POST, path: `${one}/keys`, handle: (call) => answerNewProjectKey(projects, call) },
    { ...GET, path: '/v1/admin/keys', query: PAGE, handle: (call) => answerAdminKeys(projects, call) },
    { ...POST, path: '/v1/admin/keys', handle: (call) => answerNewAdminKey(projects, call) },
    { ...DELETE, path: '/v1/admin/keys/:id', handle: (call) => answerRevokedKey(projects, call) },
  ];
}

function deadLetterRoutes(ports: AdminPorts): Route[] {
  const all = '/v1/admin/dead-letters';
  const select = { ...POST, bodyLimitBytes: SELECTION_LIMIT_BYTES } as const;
  return [
    { ...GET, path: all, query: DEAD_LETTER_PARAMETERS, handle: (call) => answerDeadLetters(ports, call) },
    { ...GET, path: `${all}/:id`, handle: (call) => answerDeadLetter(ports, call) },
    { ...select, path: `${all}/:id/edit`, query: ['dry_run'], handle: (call) => answerEdit(ports, call) },
    { ...select, path: `${all}/replay`, handle: (call) => answerResolution(ports, call, 'replay') },
    { ...select, path: `${all}/drop`, handle: (call) => answerResolution(ports, call, 'drop') },
  ];
}

function generationRoutes(ports: AdminPorts): Route[] {
  const all = '/v1/admin/generations';
  const one = `${all}/:kind/:number`;
  return [
    { ...GET, path: all, handle: () => answerGenerations(ports) },
    { ...POST, path: all, query: ['dry_run'], handle: (call) => answerBuild(ports, call) },
    { ...PATCH, path: one, handle: (call) => answerRate(ports, call) },
    { ...BARE_POST, path: `${one}/compare`, handle: (call) => answerStep(ports, call, 'compare') },
    { ...BARE_POST, path: `${one}/swap`, handle: (call) => answerStep(ports, call, 'swap') },
    { ...POST, path: `${one}/rollback`, handle: (call) => answerRollback(ports, call) },
    { ...BARE_POST, path: `${one}/drop`, handle: (call) => answerStep(ports, call, 'drop') },
  ];
}

function verificationRoutes(ports: AdminPorts): Route[] {
  const all = '/v1/admin/verifications';
  const one = `${all}/:id`;
  return [
    { ...POST, path: all, handle: (call) => answerVerification(ports, call) },
    { ...GET, path: all, query: VERIFICATION_PARAMETERS, handle: (call) => answerVerifications(ports, call) },
    { ...GET, path: one, query: HOUR_PARAMETERS, handle: (call) => answerVerificationHours(ports, call) },
  ];
}

function jobRoutes({ jobs }: AdminPorts): Route[] {
  const all = '/v1/admin/jobs';
  const one = `${all}/:id`;
  return [
    { ...GET, path: all, query: JOB_PARAMETERS, handle: (call) => answerJobs(jobs, call) },
    { ...GET, path: one, query: ['wait'], handle: (call) => answerJobState(jobs, call) },
    { ...DELETE, path: one, handle: (call) => answerJobCancel(jobs, call) },
  ];
}
