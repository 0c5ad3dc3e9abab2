import type { Project } from '../../stores/projects/project-store.ts';
import type { Consulted } from '../definition/reading.ts';
import { rejectedPatterns } from '../operators/rejected-patterns.ts';
import { type AnalyticsParts, budgetOf } from '../query-budget.ts';
import { findReferences, withoutEscapes } from './references.ts';
import type { SqlAudienceStore } from './sql-audience-store.ts';

/** What questions about definitions need, which may refer to saved audiences. */
export type QuestionParts = AnalyticsParts & { readonly saved: Pick<SqlAudienceStore, 'find' | 'findAll'> };

/** What has to be known before a definition, or a body with some, is read. @throws TidemarkError as `AnalyticsReader.ask`. */
export async function consult(parts: QuestionParts, project: Project, json: string): Promise<Required<Consulted>> {
  const audiences = await findReferences(parts.saved, project.id, [withoutEscapes(json)]);
  return { audiences, rejectedPatterns: await rejectedPatterns(budgetOf(parts, project), project.id, json) };
}
