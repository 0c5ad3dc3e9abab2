/** What the synthetic history is like. */

export const PROJECT = 'proj_bench';
export const USERS = 2_000_000;
export const DAYS = 365;
/** The evaluation: the history ends here. */
export const NOW_MS = Date.UTC(2026, 10, 20, 12);

/** What each "Order Completed" has besides: one to three products of two hundred. */
export const PRODUCTS = `if(kind >= 400 AND kind < 450, concat(',"products":[', arrayStringConcat(arrayMap(
  n -> concat('{"sku":"sku-', toString(cityHash64(dice, n) % 200), '","price":', toString(cityHash64(dice, n, 1) % 5000 / 100),
              ',"quantity":', toString(1 + cityHash64(dice, n, 2) % 4), '}'), range(1 + dice % 3)), ','), ']'), '')`;

/** Six traits: JSON of the value by `user_index`. A fifth of the users is on the plan "pro". */
export const TRAITS: Readonly<Record<string, string>> = {
  plan: `['"free"', '"free"', '"free"', '"team"', '"pro"'][1 + cityHash64(user_index) % 5]`,
  country: `['"DE"', '"US"', '"FR"', '"GB"', '"JP"', '"BR"'][1 + cityHash64(user_index, 1) % 6]`,
  age: `toString(18 + cityHash64(user_index, 2) % 60)`,
  email: `concat('"user-', toString(user_index), '@example.com"')`,
  signed_up: `concat('"', toString(toDate('2026-11-20') - toInt32(cityHash64(user_index, 4) % 1460)), '"')`,
  newsletter: `['true', 'false'][1 + cityHash64(user_index, 3) % 2]`,
};
