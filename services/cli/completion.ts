/** `tidemark completion`: scripts for shells, made from the commands and options that there are. */
import { Argument, type Command } from 'commander';
import type { CliContext } from './context.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

export function addCompletion(root: Command, context: CliContext): void {
  root
    .command('completion')
    .description('print a script that has a shell complete commands and options')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .action((shell: Shell) => context.out(SCRIPTS[shell](wordsAfter(root))));
}

/** The path of a command (`''`, `audience`, `audience save`) → the words that may follow it. */
type WordsByPath = ReadonlyMap<string, readonly string[]>;

function wordsAfter(command: Command, path = ''): WordsByPath {
  const own = [
    ...command.commands.map((child) => child.name()),
    ...command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
    ...command.options.flatMap(({ long }) => long ?? []),
    '--help',
  ];
  const below = command.commands.flatMap((child) => [...wordsAfter(child, `${path} ${child.name()}`.trim())]);
  return new Map([[path, own], ...below]);
}

/** Tells the longest path that the words before the cursor begin with, in the shells that have `case`. */
const CASES = (words: WordsByPath): string =>
  [...words]
    .sort(([one], [other]) => other.split(' ').length - one.split(' ').length || other.length - one.length)
    .map(([path, after]) => `    ${path === '' ? '*' : `"${path} "*`}) words="${after.join(' ')}" ;;`)
    .join('\n');

const SCRIPTS: Readonly<Record<Shell, (words: WordsByPath) => string>> = {
  bash: (words) => `# Complete tidemark in bash: source <(./tidemark completion bash)
_tidemark() {
  local typed="\${COMP_WORDS[*]:1:COMP_CWORD-1} " words
  case "$typed" in
${CASES(words)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _tidemark tidemark
`,
  zsh: (words) => `#compdef tidemark
# Complete tidemark in zsh, after compinit: source <(./tidemark completion zsh)
_tidemark() {
  local typed="\${(j: :)words[2,CURRENT-1]} " candidates
  case "$typed" in
${CASES(words).replaceAll(') words=', ') candidates=')}
  esac
  compadd -- \${=candidates}
  _files
}
compdef _tidemark tidemark
`,
  fish: (words) => `# Complete tidemark in fish: ./tidemark completion fish | source
function __tidemark_words
  set -l typed (string join ' ' -- (commandline -opc)[2..-1])' '
  switch $typed
${[...CASES(words).matchAll(/^ {4}(.+)\) words="(.*)" ;;$/gm)]
  .map(([, pattern = '', after = '']) => {
    const glob = pattern === '*' ? "'*'" : `'${pattern.slice(1, -2)}*'`;
    return `    case ${glob}\n      string split ' ' -- '${after}'`;
  })
  .join('\n')}
  end
end
complete -c tidemark -a '(__tidemark_words)'
`,
};
