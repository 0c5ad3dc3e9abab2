import type { Route, RouteSet } from '../http/route.ts';
import { route, unreadRoute } from '../query-api/input.ts';
import { answerDeadLetter, answerDeadLetters, answerEdit, answerResolution } from './dead-letters.ts';
import { refusalForOperators } from './failures.ts';
import { answerBuild, answerGenerations, answerRate, answerRollback, answerStep } from './generations.ts';
import { answerJobCancel, answerJobs, answerJobState } from './jobs/job-answers.ts';
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
import { answerProjectDelete } from './project-deletion.ts';
import { answerVerification, answerVerificationHours, answerVerifications } from './verifications.ts';

const ADMIN_BODY_BYTES = 32_768;
/** Dead letters may be named one by one; a record may be as large as the log takes. */
const SELECTION_LIMIT_BYTES = 1_048_576;

const READ = { scope: 'admin', style: 'problem', bodyLimitBytes: null, refusalOf: refusalForOperators } as const;
const WRITE = { ...READ, bodyLimitBytes: ADMIN_BODY_BYTES };

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
  return [
    route('GET /v1/admin/projects', READ, (_, { query }) => answerProjects(projects, query)),
    route('POST /v1/admin/projects', WRITE, (call) => answerNewProject(projects, timezone, call)),
    route('GET /v1/admin/projects/{id}', READ, (call) => answerProject(projects, call)),
    route('PATCH /v1/admin/projects/{id}', WRITE, (call) => answerProjectChange(projects, call)),
    route('DELETE /v1/admin/projects/{id}', READ, (call, input) => answerProjectDelete(parts, call, input)),
    route('GET /v1/admin/projects/{id}/keys', READ, (_, input) => answerProjectKeys(projects, input)),
    route('POST /v1/admin/projects/{id}/keys', WRITE, (call) => answerNewProjectKey(projects, call)),
    route('GET /v1/admin/keys', READ, (_, { query }) => answerAdminKeys(projects, query)),
    route('POST /v1/admin/keys', WRITE, (call) => answerNewAdminKey(projects, call)),
    route('DELETE /v1/admin/keys/{id}', READ, (call) => answerRevokedKey(projects, call)),
  ];
}

function deadLetterRoutes(ports: AdminPorts): Route[] {
  const select = { ...READ, bodyLimitBytes: SELECTION_LIMIT_BYTES };
  return [
    route('GET /v1/admin/dead-letters', READ, (call, { query }) => answerDeadLetters(ports, call, query)),
    route('GET /v1/admin/dead-letters/{id}', READ, (call) => answerDeadLetter(ports, call)),
    route('POST /v1/admin/dead-letters/{id}/edit', select, (call, input) => answerEdit(ports, call, input)),
    route('POST /v1/admin/dead-letters/replay', select, (call) => answerResolution(ports, call, 'replay')),
    route('POST /v1/admin/dead-letters/drop', select, (call) => answerResolution(ports, call, 'drop')),
  ];
}

/** A path that names no generation is answered 404, whatever it has for a kind. */
function generationRoutes(ports: AdminPorts): Route[] {
  const one = '/v1/admin/generations/{kind}/{number}';
  return [
    route('GET /v1/admin/generations', READ, () => answerGenerations(ports)),
    route('POST /v1/admin/generations', WRITE, (call, { query }) => answerBuild(ports, call, query)),
    unreadRoute(`PATCH ${one}`, WRITE, (call) => answerRate(ports, call)),
    unreadRoute(`POST ${one}/compare`, READ, (call) => answerStep(ports, call, 'compare')),
    unreadRoute(`POST ${one}/swap`, READ, (call) => answerStep(ports, call, 'swap')),
    unreadRoute(`POST ${one}/rollback`, WRITE, (call) => answerRollback(ports, call)),
    unreadRoute(`POST ${one}/drop`, READ, (call) => answerStep(ports, call, 'drop')),
  ];
}

function verificationRoutes(ports: AdminPorts): Route[] {
  return [
    route('POST /v1/admin/verifications', WRITE, (call) => answerVerification(ports, call)),
    route('GET /v1/admin/verifications', READ, (_, { query }) => answerVerifications(ports, query)),
    route('GET /v1/admin/verifications/{id}', READ, (_, input) => answerVerificationHours(ports, input)),
  ];
}

function jobRoutes({ jobs }: AdminPorts): Route[] {
  return [
    route('GET /v1/admin/jobs', READ, (_, { query }) => answerJobs(jobs, query)),
    route('GET /v1/admin/jobs/{id}', READ, (call, input) => answerJobState(jobs, call, input)),
    route('DELETE /v1/admin/jobs/{id}', READ, (call) => answerJobCancel(jobs, call)),
  ];
}
