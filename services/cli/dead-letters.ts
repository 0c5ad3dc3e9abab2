import type { Command } from 'commander';
import type { CliContext } from './context.ts';
import { addDeadLettersDrop } from './dead-letters-drop.ts';
import { addDeadLettersList } from './dead-letters-list.ts';
import { addDeadLettersReplay } from './dead-letters-replay.ts';
import { addDeadLettersShow } from './dead-letters-show.ts';

export function addDeadLetters(root: Command, context: CliContext): void {
  const deadLetters = root.command('dead-letters').description('messages that readers could not process');
  addDeadLettersList(deadLetters, context);
  addDeadLettersShow(deadLetters, context);
  addDeadLettersReplay(deadLetters, context);
  addDeadLettersDrop(deadLetters, context);
}
