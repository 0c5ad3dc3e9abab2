import type { Refusal } from '../../http/problems.ts';
import type { Answer, Route } from '../../http/route.ts';
import { asOfIn, type GenerationSummary, isKind, whyNotSwapped } from '../../operations/replay/replay-commands.ts';
import type { JobArguments } from '../../operations/jobs/job.ts';
import { route, unreadRoute } from '../input.ts';
import { ADMIN, ADMIN_BODY, type AdminCall, answerJob, notFound, readMembers, routeWithBody } from './answers.ts';
import type { AdminPorts } from '../../operations/ports.ts';

type GenerationParts = Pick<AdminPorts, 'generations' | 'jobs'>;

export function generationRoutes({ generations, jobs }: GenerationParts): Route[] {
  return [
    // All of them; there are few.
    route('GET /v1/admin/generations', ADMIN, async () => {
      return { status: 200, body: JSON.stringify({ generations: await generations.list() }) };
    }),
    // Builds one. `?dry_run=true` answers with what that would take.
    routeWithBody(
      'POST /v1/admin/generations',
      ADMIN_BODY,
      async (call, { rate_limit: rate, ...target }, { query }) => {
        const args = { ...target, ...(rate !== undefined && { rate }) };
        if (query.dry_run === 'true') return { status: 200, body: JSON.stringify(await generations.plan(args)) };
        // Before there is a job that fails.
        asOfIn(args);
        return answerJob(jobs, call, { kind: 'replay build', args }, 'generation.build');
      },
    ),
    ...routesOfOne({ generations, jobs }),
  ];
}

const ONE = '/v1/admin/generations/{kind}/{number}';

/** A path that names no generation is answered 404, whatever it has for a kind. */
function routesOfOne({ generations, jobs }: GenerationParts): Route[] {
  return [
    // Its readers follow within a second.
    unreadRoute(`PATCH ${ONE}`, ADMIN_BODY, async (call) => {
      const members = readMembers(`PATCH ${ONE}`, call);
      if (!members.ok) return members.refusal;
      const before = await generationIn(generations, call);
      if (before === undefined) return NO_GENERATION;
      const object = `${before.kind}/${before.number}`;
      const body = JSON.stringify(await generations.changeRate(before, members.value.rate_limit));
      const audit = { action: 'generation.change', object, before: JSON.stringify(before), after: body };
      return { status: 200, body, audit };
    }),
    // Rolls back the live one, which `live` names too.
    unreadRoute(`POST ${ONE}/rollback`, ADMIN_BODY, async (call) => {
      const members = readMembers(`POST ${ONE}/rollback`, call);
      if (!members.ok) return members.refusal;
      const { project = null } = members.value;
      const rollback = (args: JobArguments['replay rollback']): Promise<Answer> =>
        answerJob(jobs, call, { kind: 'replay rollback', args }, 'generation.rollback');
      const { kind: named = '', number: given } = call.params;
      if (given === 'live' && isKind(named)) return rollback({ kind: named, project });
      const generation = await generationIn(generations, call);
      if (generation === undefined) return NO_GENERATION;
      const { kind, number, answers } = generation;
      if (answers.includes(project ?? 'all')) return rollback({ kind, project });
      return conflict(`Generation ${number} of ${kind} is not live there.`);
    }),
    ...(['compare', 'swap', 'drop'] as const).map((step) =>
      unreadRoute(`POST ${ONE}/${step}`, ADMIN, async (call) => {
        const generation = await generationIn(generations, call);
        if (generation === undefined) return NO_GENERATION;
        const { kind, number, state, project } = generation;
        const why = whyNot(step, generation);
        if (why !== undefined) return conflict(why);
        if (state === 'dropped') return notFound(`Generation ${number} of ${kind} has been dropped.`);
        const action = step === 'compare' ? undefined : `generation.${step}`;
        return answerJob(jobs, call, { kind: `replay ${step}`, args: { kind, number, project } }, action);
      }),
    ),
  ];
}

function whyNot(step: string, generation: GenerationSummary): string | undefined {
  if (step === 'swap') return whyNotSwapped(generation);
  const { kind, number, state } = generation;
  return step === 'drop' && state === 'live' ? `Generation ${number} of ${kind} is the live one: it stays.` : undefined;
}

const NO_GENERATION = notFound('There is no such generation.', 'COMMAND_INVALID');

function conflict(detail: string): Refusal {
  return { refused: 'conflict', detail, errorCode: 'COMMAND_INVALID' };
}

/** The generation that the path names. */
async function generationIn(
  generations: AdminPorts['generations'],
  { params: { kind = '', number = '' } }: AdminCall,
): Promise<GenerationSummary | undefined> {
  return /^[1-9]\d{0,8}$/.test(number) ? generations.find(kind, Number(number)) : undefined;
}
