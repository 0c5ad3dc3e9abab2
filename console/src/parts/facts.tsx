import type { ComponentChildren } from 'preact';

interface FactsProps {
  /** By their names; those that are undefined or false are left out. */
  readonly of: Readonly<Record<string, ComponentChildren>>;
  /** A class beside `facts`. */
  readonly look?: string;
}

/** What is known of something, each with its name. */
export function Facts({ of: facts, look = '' }: FactsProps) {
  return (
    <dl class={`facts ${look}`.trim()}>
      {Object.entries(facts).map(
        ([name, value]) =>
          value !== undefined &&
          value !== false && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
