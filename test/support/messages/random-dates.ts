import * as fc from 'fast-check';

/** Around the evaluation, changes of clocks, leap days and the ends of time; some are no dates. */
export const DATES = [
  '"2026-11-20T12:00:00Z"',
  '"2026-11-20T12:00:00.000001Z"',
  '"2026-11-27T14:00:00.0000009+02:00"',
  '"2026-11-20"',
  '"2026-11-21T01:30+13:00"',
  '"1990-11-20"',
  '"1988-11-27T23:30"',
  '"2000-02-29"',
  '"2024-02-29T23:59:60,5-03:30"',
  '"2026-03-29T02:30"',
  '"2026-10-25T02:30:15"',
  '"2026-03-08t02:15z"',
  '"2026-11-20 12:00"',
  '"2026-11-20 12:00:00.000001"',
  '"2026-11-20 12:00:00 UTC"',
  '"2026-11-27 14:00:00+02"',
  '"2026-11-21 01:30:00.25 +1300"',
  '"1988-11-27 23:30:00 -03:30"',
].concat(
  ['"2026-02-30"', '"2026-11-20 12:00 CET"', '"1899-12-31T23:59-01:00"', '"2299-12-31T23:59:59-01:00"', '"90d"'],
  ['1795176000', '1795176000.25', '1795780800', '1795176000000', '1.7951760000015e12', '-2208988800'],
);

const dateInstant = fc.constantFrom(
  '"1h"',
  '"30d"',
  '"+1h"',
  '"+7d"',
  '"2026-11-20"',
  '"2026-11-20T12:00"',
  '"2026-03-29T01:30:00Z"',
  '"2026-03-29T00:30:00Z"',
  '"2026-10-25T00:30:15Z"',
  '"2026-10-25T01:00:00Z"',
  '"2026-03-08T05:45:00Z"',
);
const dateWhen = fc.oneof(
  fc.constantFrom('"last":"1h"', '"last":"99999w"', '"next":"1h"', '"next":"7d"', '"next":"1d"'),
  dateInstant.map((since) => `"since":${since}`),
  dateInstant.map((before) => `"before":${before}`),
  fc.constantFrom('"between":["30d","+7d"]', '"between":["2026-03-29","2026-10-25T02:30:15"]'),
  fc.constantFrom('"anniversary":"today"', '"anniversary":{"next":"7d"}', '"anniversary":{"next":"101d"}'),
  fc.constantFrom('"anniversary":{"next":"12h"}', '"anniversary":{"next":"400d"}'),
);
/** The operator `date` and its value, as JSON. */
export const dateTest = fc
  .tuple(dateWhen, fc.constantFrom('', '', ',"epoch":"seconds"', ',"epoch":"milliseconds"'))
  .map(([when, epoch]): [string, string] => ['date', `{${when}${epoch}}`]);
