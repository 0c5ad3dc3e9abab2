import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Json, jsonText, parseJson } from '../../console/src/api/json.ts';
import { History } from '../../console/src/screens/builder/history.ts';
import { type Path, valueAt } from '../../console/src/screens/builder/json-edit.ts';
import { type TreeNode, treeOf } from '../../console/src/screens/builder/tree.ts';
import * as edits from '../../console/src/screens/builder/tree-edits.ts';
import { propertyRun } from '../support/property-run.ts';
import { definitionAbout } from '../support/messages/random-audience.ts';

const definition = definitionAbout([{ path: ['plan'], value: '"pro"' }]).map(parseJson);

function nodesIn(node: TreeNode): readonly TreeNode[] {
  return [node, ...node.parts.flatMap(nodesIn)];
}

describe('changes of the tree', () => {
  const root = parseJson(
    '{"all":[{"event":"A"},{"trait":"b","is":1.0},{"any":[{"event":"C"},{"not":{"event":"D"}}]},{"not":{"any":[{"event":"E"}]}}]}',
  );
  const text = (changed: edits.Changed | undefined): string => jsonText(changed?.document ?? null);
  const nodeAt = (at: Path): TreeNode =>
    nodesIn(treeOf(root)).find((node) => node.at.join() === at.join()) ?? treeOf(root);

  test('a condition is added to a group, and beside one that is the whole definition', () => {
    const alone = parseJson('{"event":"A"}');

    expect(text(edits.added(alone, treeOf(alone), { event: 'B' }))).toBe('{"all":[{"event":"A"},{"event":"B"}]}');
    expect(edits.added(root, nodeAt(['all', 2]), { event: 'F' }).focus).toEqual(['all', 2, 'any', 2]);
    expect(edits.added(undefined, undefined, alone)).toEqual({ document: alone, focus: [] });
  });

  test('the last condition of a group takes the group with it, and its not', () => {
    expect(text(edits.removed(root, ['all', 3, 'not', 'any', 0]))).not.toContain('not":{"any');
    expect(edits.removed(parseJson('{"not":{"all":[{"event":"A"}]}}'), ['not', 'all', 0]).document).toBeUndefined();
  });

  test('what is moved down and up again, grouped and dissolved, or negated twice, is as it was', () => {
    const down = edits.moved(root, ['all', 1], 1);
    const grouped = edits.grouped(root, ['all', 1]);
    const negated = edits.negated(root, nodeAt(['all', 0]));
    const again = (changed: edits.Changed): TreeNode =>
      nodesIn(treeOf(changed.document ?? null)).find(({ at }) => at.join() === 'all,0') ?? treeOf(root);

    expect(down?.focus).toEqual(['all', 2]);
    expect(text(edits.moved(down?.document ?? null, ['all', 2], -1))).toBe(jsonText(root));
    expect(
      text(
        edits.ungrouped(grouped.document ?? null, treeOf(valueAt(grouped.document, ['all', 1]) ?? null, ['all', 1])),
      ),
    ).toBe(jsonText(root));
    expect(text(edits.negated(negated.document ?? null, again(negated)))).toBe(jsonText(root));
  });

  test('a condition moves out of its group and into the one beside it', () => {
    const out = edits.movedOut(root, ['all', 2, 'any', 1]);
    const into = edits.movedIn(root, ['all', 1]);

    expect(jsonText(valueAt(out?.document, ['all', 3]) ?? null)).toBe('{"not":{"event":"D"}}');
    expect(jsonText(valueAt(into?.document, into?.focus ?? []) ?? null)).toBe('{"trait":"b","is":1.0}');
    expect(into?.focus).toEqual(['all', 1, 'any', 0]);
    expect(edits.movedOut(root, ['all', 0])).toBeUndefined();
    // The group that it leaves empty goes, with its not.
    const last = edits.movedOut(root, ['all', 3, 'not', 'any', 0]);
    expect(jsonText(valueAt(last?.document, ['all', 3]) ?? null)).toBe('{"event":"E"}');
  });

  test('no change of the tree loses a condition', () => {
    const conditionsIn = (of: Json): string[] =>
      nodesIn(treeOf(of))
        .filter(({ kind }) => !['group', 'not'].includes(kind))
        .map(({ value }) => jsonText(value))
        .sort();
    fc.assert(
      fc.property(definition, fc.nat(30), (root, place) => {
        const nodes = nodesIn(treeOf(root));
        const node = nodes[place % nodes.length] ?? treeOf(root);
        const changes = [
          edits.moved(root, node.at, 1),
          edits.moved(root, node.at, -1),
          edits.movedIn(root, node.at),
          edits.movedOut(root, node.at),
          edits.grouped(root, node.at),
          edits.ungrouped(root, node),
          edits.negated(root, node),
          ...['all', 'any', 'not any', 'not all'].map((kind) =>
            node.kind === 'group' ? edits.joined(root, node, kind) : undefined,
          ),
        ];
        for (const changed of changes) {
          if (changed !== undefined) expect(conditionsIn(changed.document ?? null)).toEqual(conditionsIn(root));
        }
      }),
      propertyRun(500),
    );
  });

  test('several changes of one field in short order are undone together, and redone', () => {
    const history = new History('');
    history.change('O', 'event', 0);
    history.change('Or', 'event', 200);
    history.change('Or!', 'where', 300);
    history.undo();
    expect(history.present).toBe('Or');
    history.undo();
    expect(history.present).toBe('');
    expect(history.canUndo).toBe(false);
    history.redo();
    history.redo();
    expect(history.present).toBe('Or!');
    history.change('Other', 'where', 400);
    expect(history.canRedo).toBe(false);
  });
});
