import type { CommandArguments } from '../runtime/command.ts';
import { carryOut } from './carry-out.ts';
import type { CliContext } from './context.ts';

/** Prints a stream of lines page by page, as one: the last line once, at its end. */
export async function printLines(
  context: CliContext,
  command: 'audience members' | 'audience changes',
  args: CommandArguments,
): Promise<void> {
  let page: CommandArguments = args;
  for (;;) {
    const lines = (await carryOut(context, command, page)).json.trimEnd();
    const last = lines.lastIndexOf('\n') + 1;
    const end = JSON.parse(lines.slice(last)) as { readonly next_cursor: string | null };
    context.out(end.next_cursor === null ? `${lines}\n` : lines.slice(0, last));
    if (end.next_cursor === null) return;
    const { project, id } = args;
    page = { project, id, cursor: end.next_cursor };
  }
}
