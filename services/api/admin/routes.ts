import { BODY_LIMIT_BYTES, SELECTION_LIMIT_BYTES } from '../../http/body-limits.ts';
import type { Route, RouteSet } from '../../http/route.ts';
import { route, unreadRoute } from '../input.ts';
import { answerBackup, answerBackups } from './backups.ts';
import { answerDeadLetter, answerDeadLetters, answerEdit, answerResolution } from './dead-letters.ts';
import { erasureRoutes } from './erasures.ts';
import { answerEventErasure, type EventErasureParts } from './event-erasures.ts';
import { refusalForOperators } from './failures.ts';
import { answerBuild, answerGenerations, answerRate, answerRollback, answerStep } from './generations.ts';
import { answerJobCancel, answerJobs, answerJobState } from './job-answers.ts';
import { answerJoin, answerJoinDecision, answerJoins, type JoinParts } from './joins.ts';
import { answerOldEvents, type OldEventsParts } from './old-events.ts';
import type { BackupSchedule } from '../../operations/backup/last-backup.ts';
import type { AdminPorts } from '../../operations/ports.ts';
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
import type { NewProjectDefaults } from '../../stores/projects/project-store.ts';
import { answerProjectDelete } from './project-deletion.ts';
import { answerVerification, answerVerificationHours, answerVerifications } from './verifications.ts';

const ADMIN = { scope: 'admin', style: 'problem', bodyLimitBytes: null, refusalOf: refusalForOperators } as const;
const ADMIN_BODY = { ...ADMIN, bodyLimitBytes: BODY_LIMIT_BYTES };

export interface AdminParts extends AdminPorts, JoinParts, Omit<EventErasureParts, 'saved'>, OldEventsParts {
  readonly newProjects: NewProjectDefaults;
  readonly schedule: BackupSchedule;
}

/** What operators do over HTTP. */
export function adminRoutes(parts: AdminParts): RouteSet {
  const all = [projectRoutes, deadLetterRoutes, generationRoutes, verificationRoutes, backupRoutes, jobRoutes];
  const erasures = erasureRoutes(parts, ADMIN, { ...ADMIN, bodyLimitBytes: SELECTION_LIMIT_BYTES });
  const events = route('POST /v1/admin/event-erasures', ADMIN_BODY, (call) => answerEventErasure(parts, call));
  return { routes: [...all.flatMap((routesOf) => routesOf(parts)), ...erasures, events] };
}

function projectRoutes(parts: AdminParts): Route[] {
  const { projects } = parts;
  return [
    route('GET /v1/admin/projects', ADMIN, (_, { query }) => answerProjects(projects, query)),
    route('POST /v1/admin/projects', ADMIN_BODY, (call) => answerNewProject(parts, call)),
    route('GET /v1/admin/projects/{id}', ADMIN, (call) => answerProject(projects, call)),
    ...settingRoutes(parts),
    route('DELETE /v1/admin/projects/{id}', ADMIN, (call, input) => answerProjectDelete(parts, call, input)),
    route('GET /v1/admin/projects/{id}/old-events', ADMIN, (_, input) => answerOldEvents(parts, input)),
    route('GET /v1/admin/projects/{id}/joins', ADMIN, (call) => answerJoins(parts, call)),
    route('GET /v1/admin/projects/{id}/joins/{anonymous_id}', ADMIN, (call) => answerJoin(parts, call)),
    route('PUT /v1/admin/projects/{id}/joins/{anonymous_id}', ADMIN_BODY, (call) => answerJoinDecision(parts, call)),
  ];
}

/** What definitions change of a project, too. */
export function settingRoutes({ projects, generations }: Pick<AdminPorts, 'projects' | 'generations'>): Route[] {
  return [
    route('PATCH /v1/admin/projects/{id}', ADMIN_BODY, (call) => answerProjectChange({ projects, generations }, call)),
    route('GET /v1/admin/projects/{id}/keys', ADMIN, (_, input) => answerProjectKeys(projects, input)),
    route('POST /v1/admin/projects/{id}/keys', ADMIN_BODY, (call) => answerNewProjectKey(projects, call)),
    route('GET /v1/admin/keys', ADMIN, (_, { query }) => answerAdminKeys(projects, query)),
    route('POST /v1/admin/keys', ADMIN_BODY, (call) => answerNewAdminKey(projects, call)),
    route('DELETE /v1/admin/keys/{id}', ADMIN, (call) => answerRevokedKey(projects, call)),
  ];
}

function deadLetterRoutes(ports: AdminPorts): Route[] {
  const select = { ...ADMIN, bodyLimitBytes: SELECTION_LIMIT_BYTES };
  return [
    route('GET /v1/admin/dead-letters', ADMIN, (_, { query }) => answerDeadLetters(ports, query)),
    route('GET /v1/admin/dead-letters/{id}', ADMIN, (call) => answerDeadLetter(ports, call)),
    route('POST /v1/admin/dead-letters/{id}/edit', select, (call, input) => answerEdit(ports, call, input)),
    route('POST /v1/admin/dead-letters/replay', select, (call) => answerResolution(ports, call, 'replay')),
    route('POST /v1/admin/dead-letters/drop', select, (call) => answerResolution(ports, call, 'drop')),
  ];
}

/** A path that names no generation is answered 404, whatever it has for a kind. */
function generationRoutes(ports: AdminPorts): Route[] {
  const one = '/v1/admin/generations/{kind}/{number}';
  return [
    route('GET /v1/admin/generations', ADMIN, () => answerGenerations(ports)),
    route('POST /v1/admin/generations', ADMIN_BODY, (call, { query }) => answerBuild(ports, call, query)),
    unreadRoute(`PATCH ${one}`, ADMIN_BODY, (call) => answerRate(ports, call)),
    unreadRoute(`POST ${one}/compare`, ADMIN, (call) => answerStep(ports, call, 'compare')),
    unreadRoute(`POST ${one}/swap`, ADMIN, (call) => answerStep(ports, call, 'swap')),
    unreadRoute(`POST ${one}/rollback`, ADMIN_BODY, (call) => answerRollback(ports, call)),
    unreadRoute(`POST ${one}/drop`, ADMIN, (call) => answerStep(ports, call, 'drop')),
  ];
}

function verificationRoutes(ports: AdminPorts): Route[] {
  return [
    route('POST /v1/admin/verifications', ADMIN_BODY, (call) => answerVerification(ports, call)),
    route('GET /v1/admin/verifications', ADMIN, (_, { query }) => answerVerifications(ports, query)),
    route('GET /v1/admin/verifications/{id}', ADMIN, (_, input) => answerVerificationHours(ports, input)),
  ];
}

function backupRoutes(parts: AdminParts): Route[] {
  return [
    route('POST /v1/admin/backups', ADMIN_BODY, (call) => answerBackup(parts, call)),
    route('GET /v1/admin/backups', ADMIN, (_, { query }) => answerBackups(parts, query)),
  ];
}

function jobRoutes({ jobs }: AdminPorts): Route[] {
  return [
    route('GET /v1/admin/jobs', ADMIN, (_, { query }) => answerJobs(jobs, query)),
    route('GET /v1/admin/jobs/{id}', ADMIN, (call, input) => answerJobState(jobs, call, input)),
    route('DELETE /v1/admin/jobs/{id}', ADMIN, (call) => answerJobCancel(jobs, call)),
  ];
}
