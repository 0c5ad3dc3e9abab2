interface SelectProps {
  /** What is chosen, for those who do not see where it stands. */
  readonly label?: string;
  readonly value: string;
  /** Texts by their values, in the order of the list. */
  readonly options: Readonly<Record<string, string>> | readonly (readonly [value: string, text: string])[];
  /** Those that cannot be chosen now. */
  readonly off?: readonly string[];
  /** Whether `/` leads here. */
  readonly isSearch?: boolean;
  readonly onChoice: (value: string) => void;
}

/** One of several. What is chosen already is in the list, even where nothing else knows it. */
export function Select({ label, value, options, off = [], isSearch = false, onChoice }: SelectProps) {
  const known = Array.isArray(options) ? (options as readonly (readonly [string, string])[]) : Object.entries(options);
  const all = known.some(([one]) => one === value) ? known : [[value, value] as const, ...known];
  return (
    <select
      aria-label={label}
      value={value}
      data-search={isSearch ? '' : undefined}
      onChange={({ currentTarget }) => onChoice(currentTarget.value)}
    >
      {all.map(([one, text]) => (
        <option key={one} value={one} disabled={off.includes(one)}>
          {text}
        </option>
      ))}
    </select>
  );
}

/** The same with its label above. */
export function Choice({ label, ...select }: SelectProps & { readonly label: string }) {
  return (
    <label>
      <span class="label">{label}</span>
      <Select {...select} />
    </label>
  );
}
