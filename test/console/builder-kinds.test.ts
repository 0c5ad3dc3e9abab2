/** Each kind of condition in the builder: as a sentence, as what its controls and buttons make, and as JSON where it has no words. */
import { describe, expect, test } from 'vitest';
import { jsonText, parseJson } from '../../console/src/api/json.ts';
import { applyEdit } from '../../console/src/screens/builder/json-edit.ts';
import { knownNames, suggestedAmong, testsOf } from '../../console/src/screens/builder/known.ts';
import type { Piece } from '../../console/src/screens/builder/sentences/phrase.ts';
import { sentenceOf, type TreeNode, treeOf, wordingOf } from '../../console/src/screens/builder/tree.ts';

const EVENTS = ['Page Viewed', 'Order Completed'];
const PROPERTIES = knownNames(
  [
    { name: 'coupon', types: ['text'], examples: ['"SPRING"'] },
    { name: 'total', types: ['number'], examples: ['12.5'] },
  ].map((name) => ({
    ...name,
    count: parseJson('7') as { rawJSON: string },
    types: name.types.map((type) => ({ type })),
  })),
);

function sentence(text: string): string {
  return sentenceOf(treeOf(parseJson(text)));
}

function piecesOf(text: string): readonly Piece[] {
  return wordingOf(treeOf(parseJson(text))).phrases.flatMap(({ pieces }) => pieces);
}

function jsonLines(text: string): readonly string[] {
  return piecesOf(text).flatMap((piece) => (piece.kind === 'json' ? [piece.value] : []));
}

/** The definition after the first control of this label has got this value. */
function withControl(text: string, label: string, value: string, nth = 0): string {
  const piece = piecesOf(text).filter((one) => one.kind !== 'word' && one.label === label)[nth];
  if (piece === undefined || piece.kind === 'word' || piece.kind === 'remove') throw new Error(`no control ${label}`);
  return jsonText(applyEdit(parseJson(text), { at: piece.at, value: piece.make(value) }) ?? null);
}

function withoutPiece(text: string, label: string, nth = 0): string {
  const piece = piecesOf(text).filter((one) => one.kind === 'remove' && one.label === label)[nth];
  if (piece?.kind !== 'remove') throw new Error(`nothing removes by ${label}`);
  return jsonText(applyEdit(parseJson(text), piece.edit) ?? null);
}

/** The definition after a button was pressed. */
function withAddition(text: string, button: string): string {
  const addition = wordingOf(treeOf(parseJson(text))).additions.find((one) => one.text === button);
  if (addition === undefined) throw new Error(`no button ${button}`);
  return jsonText(applyEdit(parseJson(text), addition.make(PROPERTIES, EVENTS)) ?? null);
}

function buttonsOf(text: string): readonly string[] {
  return wordingOf(treeOf(parseJson(text))).additions.map((addition) => addition.text);
}

const CART = '{"event":"Added to Cart","not_followed_by":{"event":"Order Completed","within":"24h"},"which":"last"}';

describe('each kind of condition is a sentence without a line of JSON', () => {
  test.each([
    ['{"event":["A","B"],"count":{"at_most":0}}', 'did A or B at most 0 times'],
    ['{"event":{"any":true},"within":{"last":"30d"}}', 'did anything in the last 30 days'],
    ['{"not":{"event":{"any":true}}}', 'did not do anything'],
    ['{"trait":"created","date":{"last":"90d"}}', 'their created is a date in the last 90 days'],
    [
      '{"trait":"trial_ends","date":{"next":"7d","epoch":"seconds"}}',
      'their trial_ends is a date in the next 7 days (seconds since 1970)',
    ],
    ['{"trait":"a","date":{"since":"+7d"}}', 'their a is a date since 7 days from now'],
    [
      '{"trait":"a","date":{"between":["30d","2026-12-01"]}}',
      'their a is a date between 30 days ago and the day 2026-12-01',
    ],
    ['{"trait":"birthday","date":{"anniversary":"today"}}', 'their birthday has its anniversary today'],
    ['{"trait":"b","date":{"anniversary":{"next":"7d"}}}', 'their b has its anniversary in the next 7 days'],
    [
      '{"event":"A","where":[{"property":"due","date":{"before":"12h"}}]}',
      'did A where due is a date before 12 hours ago',
    ],
    ['{"trait":"email","ends_with":"@a.com"}', 'their email ends with “@a.com”'],
    ['{"not":{"trait":"email","matches":"^a"}}', 'their email does not match “^a”'],
    ['{"trait":"plan","in":["pro","Team"],"ignore_case":true}', 'their plan is one of “pro” or “Team” (ignoring case)'],
    [
      '{"event":"A","where":[{"property":"products","has":[{"property":"sku","is":"hat-1"},{"property":"price","gt":10}]},{"property":"b","is":1}]}',
      'did A where products has an object (whose sku is “hat-1” and whose price is more than 10) and b is 1',
    ],
    [
      '{"not":{"trait":["a","cards"],"has":[{"property":"tags","has":[{"property":"until","date":{"next":"7d"}}]}]}}',
      'their a → cards has no object (whose tags has an object (whose until is a date in the next 7 days))',
    ],
    [
      '{"event":"Order Completed","within":{"last":"90d"},"measure":{"sum":"total","gte":500,"lt":1e3}}',
      'did Order Completed in the last 90 days, the sum of total is at least 500 and is less than 1e3',
    ],
    [
      '{"event":"A","measure":{"distinct":["a","b"],"is_not":3}}',
      'did A, the number of different values of a → b is not 3',
    ],
    [
      '{"event":"A","followed_by":{"event":"B","within":"1d","followed_by":{"event":{"any":true},"within":"2w"}}}',
      'did A, followed by B within 1 days, then by anything within 2 weeks',
    ],
    [CART, 'did Added to Cart, the last of them not followed by Order Completed within 24 hours'],
    [
      '{"event":"A","count":{"at_least":2},"followed_by":{"event":["B","C"],"where":[{"property":"p","is":1}],"within":"1d"}}',
      'did A at least 2 times, followed by B or C where p is 1 within 1 days',
    ],
    ['{"event":"A","first":{"last":"7d"}}', 'did A, the first time ever in the last 7 days'],
    [
      '{"event":"A","within":{"last":"30d"},"first":{"last":"7d"}}',
      'did A in the last 30 days, the first time in the last 7 days',
    ],
    [
      '{"not":{"event":"A","measure":{"max":"total","gt":5}}}',
      'are not among those who did A, the maximum of total is more than 5',
    ],
    ['{"audience":"aud_1"}', 'are in the audience aud_1'],
    ['{"not":{"audience":"aud_1"}}', 'are not in the audience aud_1'],
    ['{"sample":{"percent":12.50,"seed":"spring"}}', 'are in the sample of 12.50 % by the seed “spring”'],
    ['{"not":{"sample":{"percent":10,"seed":"spring"}}}', 'are not in the sample of 10 % by the seed “spring”'],
  ])('%s reads: %s', (text, wanted) => {
    expect(sentence(text)).toBe(wanted);
    expect(jsonLines(text)).toEqual([]);
  });

  test('an audience is called by its name, where that is known', () => {
    const node: TreeNode = treeOf(parseJson('{"not":{"audience":"aud_1"}}'));

    expect(sentenceOf(node, new Map([['aud_1', 'Pro users']]))).toBe('are not in the audience Pro users');
  });
});

describe('what has no words stays a line of JSON', () => {
  test.each([
    ['{"event":["A",5]}', '["A",5]'],
    ['{"event":{"any":false}}', '{"any":false}'],
    ['{"trait":"a","date":{"last":"7d","next":"7d"}}', '{"last":"7d","next":"7d"}'],
    ['{"trait":"a","date":{"last":"7d","epoch":"days"}}', '"days"'],
    ['{"trait":"a","date":{"anniversary":"tomorrow"}}', '"tomorrow"'],
    ['{"event":"A","within":{"next":"7d"}}', '{"next":"7d"}'],
    ['{"event":"A","measure":{"sum":"a","max":"b","gt":1}}', '{"sum":"a","max":"b","gt":1}'],
    ['{"event":"A","measure":{"sum":"a"}}', '{"sum":"a"}'],
    ['{"event":"A","measure":{"sum":"a","gt":"5"}}', '"5"'],
    ['{"event":"A","followed_by":{"event":"B"}}', '{"event":"B"}'],
    ['{"event":"A","followed_by":{"event":"B","within":"1d","count":1}}', '{"event":"B","within":"1d","count":1}'],
    [
      '{"event":"A","not_followed_by":{"event":"B","within":"1d","followed_by":{"event":"C","within":"1d"}}}',
      '{"event":"B","within":"1d","followed_by":{"event":"C","within":"1d"}}',
    ],
    ['{"event":"A","which":"last"}', '"last"'],
    ['{"trait":"products","has":{"property":"sku","is":"x"}}', '{"property":"sku","is":"x"}'],
    ['{"trait":"products","has":[{"sku":"x"},{"property":"sku","is":"x"}]}', '{"sku":"x"}'],
    ['{"audience":5}', '{"audience":5}'],
    ['{"audience":"a","odd":1}', '{"audience":"a","odd":1}'],
    ['{"sample":{"percent":10}}', '{"sample":{"percent":10}}'],
  ])('%s shows %s', (text, line) => {
    expect(jsonLines(text)).toContain(line);
  });
});

describe('controls and buttons of each kind', () => {
  test('a further event is one of the project, and those that count are taken out again', () => {
    const two = withAddition('{"event":"Page Viewed"}', 'or');

    expect(two).toBe('{"event":["Page Viewed","Order Completed"]}');
    expect(withoutPiece(two, 'Remove event 1')).toBe('{"event":["Order Completed"]}');
    expect(withControl('{"event":["A","B"]}', 'Event 2', 'anything')).toBe('{"event":["A","anything"]}');
    expect(withControl('{"event":"A","within":{"last":"7d"}}', 'Did or not', 'not any')).toBe(
      '{"not":{"event":{"any":true},"within":{"last":"7d"}}}',
    );
    expect(withControl('{"not":{"event":{"any":true}}}', 'Did or not', 'did any')).toBe('{"event":{"any":true}}');
  });

  test('a comparison turns into a date and a date into an anniversary, which keep what their numbers count', () => {
    const date = withControl('{"trait":"a","gte":"90d"}', 'Comparison', 'date');

    expect(date).toBe('{"trait":"a","date":{"last":"90d"}}');
    expect(withControl('{"trait":"a","lt":"90d"}', 'Comparison', 'date')).toBe('{"trait":"a","date":{"before":"90d"}}');
    expect(withAddition(date, 'since 1970')).toBe('{"trait":"a","date":{"last":"90d","epoch":"seconds"}}');
    expect(withControl('{"trait":"a","date":{"last":"30d","epoch":"seconds"}}', 'Comparison', 'date anniversary')).toBe(
      '{"trait":"a","date":{"anniversary":"today","epoch":"seconds"}}',
    );
    expect(withControl('{"trait":"a","date":{"anniversary":"today"}}', 'Anniversary', 'next')).toBe(
      '{"trait":"a","date":{"anniversary":{"next":"7d"}}}',
    );
  });

  test('a date that lies ahead stays ahead under another word', () => {
    const next = '{"trait":"a","date":{"next":"7d","epoch":"seconds"}}';
    const since = withControl(next, 'Time', 'since');

    expect(since).toBe('{"trait":"a","date":{"since":"+7d","epoch":"seconds"}}');
    expect(withControl(since, 'How many', '12')).toContain('"+12d"');
    expect(withControl(since, 'Unit', 'w')).toContain('"+7w"');
    expect(withControl(since, 'Time', 'before')).toContain('"before":"+7d"');
    expect(withControl(since, 'Time', 'next')).toBe(next);
    expect(withControl(since, 'Kind of time', 'ago')).toContain('"since":"7d"');
    expect(withControl(since, 'Time', 'between')).toMatch(/"between":\["\d{4}-\d\d-\d\d","\+7d"\]/);
  });

  test('letter case is ignored beside operators of text, and goes with the last of them', () => {
    const ignoring = withAddition('{"trait":"a","contains":"x"}', 'in any case');

    expect(ignoring).toBe('{"trait":"a","contains":"x","ignore_case":true}');
    expect(withControl(ignoring, 'Comparison', 'not ends_with')).toBe(
      '{"not":{"trait":"a","ends_with":"x","ignore_case":true}}',
    );
    expect(withControl(ignoring, 'Comparison', 'exists true')).toBe('{"trait":"a","exists":true}');
    expect(withoutPiece('{"trait":"a","is_not":"x","gt":"b","ignore_case":true}', 'Remove “is not”')).toBe(
      '{"trait":"a","gt":"b"}',
    );
    expect(buttonsOf('{"trait":"a","gt":5}')).not.toContain('in any case');
  });

  test('an object of a list is asked for, about more than one of its properties, and turned into its opposite', () => {
    const one = withControl('{"trait":"cards","contains":"visa"}', 'Comparison', 'has');
    const two = withAddition('{"trait":"cards","has":[{"property":"kind","is":"visa"}]}', 'and whose');

    expect(one).toBe('{"trait":"cards","has":[{"property":"","is":"visa"}]}');
    expect(two).toBe('{"trait":"cards","has":[{"property":"kind","is":"visa"},{"property":"","is":""}]}');
    expect(withoutPiece(two, 'Remove this about the object')).toBe('{"trait":"cards","has":[{"property":"","is":""}]}');
    expect(withControl(two, 'Comparison', 'not has')).toBe(`{"not":${two}}`);
    expect(withControl(one, 'Comparison', 'is')).toBe('{"trait":"cards","is":""}');
    expect(buttonsOf(one)).toEqual(['and whose', 'in any case']);
  });

  test('the properties of the objects in a list are suggested, and a list of objects begins with one of them', () => {
    const lists = knownNames([
      {
        name: 'products',
        count: parseJson('7') as { rawJSON: string },
        types: [{ type: 'array' }],
        examples: ['[1]', '[{"sku":"hat-1","tags":[{"name":"new"}]},{"price":12.5}]'],
      },
    ]);
    const within = (...path: string[][]): readonly string[] =>
      suggestedAmong(lists, { of: 'names', lists: path }).map((known) => known.path.join('.'));

    expect(within(['products'])).toEqual(['sku', 'tags', 'price']);
    expect(within(['products'], ['tags'])).toEqual(['name']);
    expect(within(['sku'])).toEqual([]);
    expect(jsonText(testsOf({ types: ['array'], examples: [parseJson('[{"sku":"hat-1"}]')] }))).toBe(
      '{"has":[{"property":"sku","is":"hat-1"}]}',
    );
  });

  test('events come to the sum of a property that has numbers, and another measure keeps what it is compared with', () => {
    const measured = withAddition('{"event":"Order Completed"}', 'total/average');

    expect(measured).toBe('{"event":"Order Completed","measure":{"sum":"total","gte":100}}');
    expect(withControl(measured, 'Measure', 'distinct')).toContain('{"distinct":"total","gte":100}');
    expect(withControl(measured, 'Comparison', 'lt')).toContain('{"sum":"total","lt":100}');
    expect(withAddition(measured, 'and')).toContain('{"sum":"total","gte":100,"lt":100}');
    expect(buttonsOf(measured)).not.toContain('in any case');
  });

  test('an abandoned cart is made, turned into its opposite and taken out', () => {
    const made = withAddition('{"event":"Page Viewed","within":{"last":"30d"}}', 'but not then');
    const last = withControl(made, 'What came after', 'last not_followed_by');

    expect(made).toBe(
      '{"event":"Page Viewed","within":{"last":"30d"},"not_followed_by":{"event":"Order Completed","within":"7d"}}',
    );
    expect(last).toContain('"which":"last"');
    expect(buttonsOf(last)).not.toEqual(expect.arrayContaining(['how often', 'total/average', 'then']));
    expect(withControl(last, 'What came after', 'any followed_by')).toBe(
      made.replace('not_followed_by', 'followed_by'),
    );
    expect(withoutPiece(last, 'Remove what came after')).toBe('{"event":"Page Viewed","within":{"last":"30d"}}');
  });

  test('who did not come back did nothing at all in time after it', () => {
    const gone = '{"event":"A","not_followed_by":{"event":{"any":true},"within":"14d"}}';

    expect(withControl(gone.replace('{"any":true}', '"B"'), 'Event', 'anything', 1)).toBe(gone);
    expect(withControl(gone, 'Event', 'C', 1)).toBe(gone.replace('{"any":true}', '"C"'));
  });

  test('a third event follows the second, and takes its place when that is taken out', () => {
    const two = '{"event":"A","followed_by":{"event":"B","within":"1d"}}';
    const three = withAddition(two, 'then');

    expect(three).toBe(two.replace('"1d"}', '"1d","followed_by":{"event":"Page Viewed","within":"7d"}}'));
    expect(buttonsOf(three)).toContain('then');
    expect(withoutPiece(three, 'Remove what came after', 1)).toBe(two);
    expect(withoutPiece(three, 'Remove what came after')).toBe(
      '{"event":"A","followed_by":{"event":"Page Viewed","within":"7d"}}',
    );
  });

  test('an audience is chosen by its id, and either kind turns into its opposite', () => {
    expect(withControl('{"audience":"aud_1"}', 'Audience', 'aud_2')).toBe('{"audience":"aud_2"}');
    expect(withControl('{"audience":"aud_1"}', 'In or not', 'not in')).toBe('{"not":{"audience":"aud_1"}}');
    const sample = '{"sample":{"percent":10,"seed":"a"}}';
    expect(withControl(sample, 'Percent', '12.5')).toBe('{"sample":{"percent":12.5,"seed":"a"}}');
    expect(withControl(`{"not":${sample}}`, 'In or not', 'in')).toBe(sample);
  });
});
