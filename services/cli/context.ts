/** What a subcommand has to do with the world: its settings and where it prints. */
export interface CliContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Standard output: what was asked for, and nothing else. */
  readonly out: (text: string) => void;
  /** Standard error: what a person should know besides. */
  readonly err: (text: string) => void;
}
