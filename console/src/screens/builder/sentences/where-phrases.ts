/** Which properties the events must have: a phrase for each. */
import { isList, type Json } from '../../../api/json.ts';
import { type Path, pointerOf } from '../json-edit.ts';
import { type KnownName, nameOf, testsOf } from '../known.ts';
import { conditionPieces, propertiesAdditions } from './member-phrase.ts';
import { type Addition, jsonPiece, type Phrase, phrasesOf, removal, word } from './phrase.ts';

export function wherePhrases(at: Path, where: Json, event: string): readonly Phrase[] {
  const name = pointerOf(at);
  if (!isList(where))
    return [{ name, pieces: [word('where'), jsonPiece(at, where, 'Where'), removal('Remove where', at)] }];
  return where.flatMap((member, index) => {
    const place = [...at, index];
    const pieces = [
      word(index === 0 ? 'where' : 'and'),
      ...conditionPieces(place, member, 'property', { event }),
      removal('Remove this about the property', where.length === 1 ? at : place),
    ];
    return phrasesOf(`${name} ${index}`, pieces);
  });
}

export function whereAdditions(at: Path, where: Json | undefined, event: string): readonly Addition[] {
  if (where !== undefined && !isList(where)) return [];
  const make = (properties: readonly KnownName[]) => {
    const known = properties[0];
    const member = known === undefined ? { property: '', is: '' } : { property: nameOf(known.path), ...testsOf(known) };
    return where === undefined ? { at, value: [member] } : { at: [...at, where.length], value: member };
  };
  const addition = { text: 'filter', label: 'Only events with certain properties', event, make };
  return [addition, ...propertiesAdditions(at, where ?? [])];
}
