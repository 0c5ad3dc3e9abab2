import type { Findings } from './findings.ts';
import type { Model } from './model.ts';
import type { TraitsTold } from './traits-told.ts';

/** Traits as the stores are known to hold them (they equal the model) against what the answers alone tell. */
export function checkTold(told: TraitsTold, model: Pick<Model, 'users'>, findings: Findings): void {
  for (const { user, trait, values } of told.all()) {
    const value = model.users.get(user)?.traits.get(trait)?.value ?? null;
    if (values.includes(value)) continue;
    const may = values.map(String).join(' or ');
    findings.add('profile other than answered', `${user}: ${trait} is ${value} instead of ${may}`);
  }
}
