import { describe, expect, test } from 'vitest';
import { idsInTexts, textWithout } from '../../../services/stores/erasures/forgotten-texts.ts';

describe('texts without a person', () => {
  test.each([
    ['an escaped letter', '\u0416-zqd', '{"user_id":"\\u0416-zqd","event":7}'],
    ['an escaped slash', 'crm/77', '{"user_id":"crm\\/77"}'],
    ['a short number', '123456', '{"user_id": 123456}'],
    ['a body that is cut', 'Zo\u00eb-of-the-files', '{"event":7,"user_id":"Zo\\u00eb-of'],
    ['a body that is no JSON', 'ada', 'data=eyJ1c2VyX2lkIjoiYmVuIn0='],
    ['a letter that could not be read', 'Zo\u00eb', '{"user_id":"Zo\ufffd"}'],
  ])('a refused body loses %s', (_, id, text) => {
    expect(textWithout(text, 'body', idsInTexts([id]))).toBeNull();
  });

  test.each([
    ['a longer id', 'ada', '{"user_id":"ada-2"}'],
    ['the end of another number', '123456', '{"user_id":1234567}'],
    ['a cut body that ends otherwise', 'ada', '{"user_id":"ben'],
  ])('a refused body keeps %s', (_, id, text) => {
    expect(textWithout(text, 'body', idsInTexts([id]))).toBe(text);
  });

  test('a document keeps all but the values that are the id, and what somebody sent with it', () => {
    const refusals = [
      {
        message: 'is a text',
        count: 7,
        examples: [
          { line: 7, value: '7;Ada' },
          { line: 8, value: '8;Ben' },
        ],
      },
    ];
    const document = JSON.stringify({ accepted: 7, user: '7', refusals });

    const kept = textWithout(document, 'document', idsInTexts(['7', 'a']));

    const [one] = refusals;
    const examples = [
      { line: 7, value: 'forgotten' },
      { line: 8, value: '8;Ben' },
    ];
    expect(JSON.parse(kept ?? '')).toEqual({ accepted: 7, user: 'forgotten', refusals: [{ ...one, examples }] });
    expect(textWithout(document, 'document', idsInTexts(['9']))).toBe(document);
  });

  test('an answer of the service goes as a whole, and a sentence with a short id for a word stays', () => {
    expect(textWithout('{"users":[{"user_id":"ada"}]}', 'own answer', idsInTexts(['ada']))).toBeNull();
    expect(textWithout('{"detail":"is not a text"}', 'own answer', idsInTexts(['a']))).toBe(
      '{"detail":"is not a text"}',
    );
    expect(textWithout('hello ada', 'answer', idsInTexts(['ada']))).toBeNull();
    expect(textWithout('is ada@example.com', 'row', idsInTexts(['ada@example.com']))).toBeNull();
  });
});
