/** The help of every command, kept as text. After a change on purpose: `npx vitest run test/cli/help.test.ts --update`. */
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { tidemark } from '../../services/cli/run-cli.ts';

test('the help of every command is as it is kept', async () => {
  const root = tidemark({ env: {}, out: () => undefined, err: () => undefined });

  const texts = commandsBelow(root).map((command) => {
    command.configureHelp({ helpWidth: 120 });
    return command.helpInformation();
  });

  await expect(texts.join('\n\n')).toMatchFileSnapshot('golden/help.txt');
});

function commandsBelow(command: Command): Command[] {
  return [command, ...command.commands.flatMap(commandsBelow)];
}
