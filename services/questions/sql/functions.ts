/** Functions that a query defines for itself. Pure. */

/**
 * Makes JSON text readable for ClickHouse's parser, which rejects a whole document for one number beyond the range of
 * 64-bit integers or doubles. Such numbers become the nearest finite double. Only text that may have one is changed.
 */
const READABLE_SQL = String.raw`json -> if(
        match(json, '[0-9]{19}|[eE][+-]?[0-9]{3}'),
        arrayStringConcat(arrayMap(
            token -> multiIf(
                NOT match(token, '^-?[0-9]'), token,
                isNotNull(toInt64OrNull(token)) OR isNotNull(toUInt64OrNull(token)), token,
                replaceRegexpOne(
                    toString(least(greatest(toFloat64OrZero(token), -1.7976931348623157e308), 1.7976931348623157e308)),
                    '^(-?[0-9]+)$', '\\1.0')),
            extractAll(json, '"(?:[^"\\\\]|\\\\.)*"|-?[0-9][0-9.eE+-]*|[^"0-9-]+'))),
        json)`;

/**
 * The groups of `WRITTEN` (messages/timestamp.ts): year, month, day, hour, minute, second, fraction, Z, sign, hours and
 * minutes of the offset, '' where the text has no such part. No groups where the text is no date.
 */
const DATE_FIELDS_SQL = String.raw`text -> extractGroups(ifNull(text, ''), '^(\\d{4})-(\\d\\d)-(\\d\\d)(?:(?:[Tt]| +)(\\d\\d):(\\d\\d)(?::(\\d\\d)(?:[.,](\\d{1,9}))?)?(?:[: ]*(?:([Zz]|UTC|GMT)|([+-])(\\d\\d)(?::?(\\d\\d))?))?)?$')`;

/** The numbers of these groups; of the fraction, microseconds. */
const DATE_NUMBERS_SQL =
  `fields -> arrayMap((field, at) -> toInt64OrZero(if(at = 7, rpad(substring(field, 1, 6), 6, '0'), field)), ` +
  `fields, arrayEnumerate(fields))`;

const IS_LEAP_YEAR = '(n[1] % 4 = 0 AND (n[1] % 100 != 0 OR n[1] % 400 = 0))';
const DAYS_IN_MONTH = `if(n[2] = 2 AND ${IS_LEAP_YEAR}, 29, [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][n[2]])`;
/** Counted from March, so that 29 February ends a year. */
const YEAR = '(n[1] - (n[2] <= 2))';
const DAYS =
  `(365 * ${YEAR} + intDiv(${YEAR}, 4) - intDiv(${YEAR}, 100) + intDiv(${YEAR}, 400) ` +
  `+ intDiv(153 * ((n[2] + 9) % 12) + 2, 5) + n[3] - 719469)`;

/** Microseconds on a clock of UTC, the offset not looked at; NULL where there is no such date or time. As `parseTimestamp`. */
const DATE_MICROS_SQL =
  `n -> if(length(n) = 11 AND n[1] >= 1899 AND n[1] <= 2300 AND n[3] >= 1 AND n[3] <= ${DAYS_IN_MONTH} ` +
  `AND n[4] < 24 AND n[5] < 60 AND n[6] <= 60 AND n[10] < 24 AND n[11] < 60, ` +
  `(((${DAYS} * 24 + n[4]) * 60 + n[5]) * 60 + least(n[6], 59)) * 1000000 + n[7], NULL)`;

const FUNCTIONS = {
  readable: READABLE_SQL,
  dateFields: DATE_FIELDS_SQL,
  dateMicros: DATE_MICROS_SQL,
  dateNumbers: DATE_NUMBERS_SQL,
};

/** Defines those that the query uses. */
export function withFunctions(select: string): string {
  const used = Object.entries(FUNCTIONS).filter(([name]) => select.includes(`${name}(`));
  return used.length === 0 ? select : `WITH ${used.map(([name, sql]) => `${sql} AS ${name}`).join(', ')} ${select}`;
}
