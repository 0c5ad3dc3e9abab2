import { getSystemErrorMap } from 'node:util';
import { ClickHouseError } from '@clickhouse/client';
import { TidemarkError } from '../../../runtime/errors.ts';
import { isPermanent, reasonOf } from '../../../runtime/transport-faults.ts';
import type { QueryLimits } from '../analytics-store.ts';

/** https://github.com/ClickHouse/ClickHouse/blob/master/src/Common/ErrorCodes.cpp */
type Limit = 'rows' | 'time' | 'memory';
const LIMIT_OF_CODE: Readonly<Record<string, Limit>> = {
  158: 'rows', // TOO_MANY_ROWS
  159: 'time', // TIMEOUT_EXCEEDED
  160: 'time', // TOO_SLOW
  241: 'memory', // MEMORY_LIMIT_EXCEEDED
  307: 'rows', // TOO_MANY_BYTES
};

/**
 * Errors that a row itself causes: it does not parse as the types of its columns, or a constraint that a person added refuses
 * it. No other error is the row's fault.
 */
const REJECTED_ROWS = new Set([
  '6', // CANNOT_PARSE_TEXT
  '25', // CANNOT_PARSE_ESCAPE_SEQUENCE
  '26', // CANNOT_PARSE_QUOTED_STRING
  '27', // CANNOT_PARSE_INPUT_ASSERTION_FAILED
  '38', // CANNOT_PARSE_DATE
  '41', // CANNOT_PARSE_DATETIME
  '53', // TYPE_MISMATCH
  '69', // ARGUMENT_OUT_OF_BOUND
  '72', // CANNOT_PARSE_NUMBER
  '117', // INCORRECT_DATA
  '128', // TOO_LARGE_ARRAY_SIZE
  '131', // TOO_LARGE_STRING_SIZE
  '306', // TOO_DEEP_RECURSION
  '349', // CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN
  '395', // FUNCTION_THROW_IF_VALUE_IS_NON_ZERO
  '467', // CANNOT_PARSE_BOOL
  '469', // VIOLATED_CONSTRAINT
  '691', // UNKNOWN_ELEMENT_OF_ENUM
]);

/** Errors of a server that asks others. */
const NO_CONNECTION = new Set([
  '209', // SOCKET_TIMEOUT
  '210', // NETWORK_ERROR
  '279', // ALL_CONNECTION_TRIES_FAILED
]);

/** Errors that the query itself causes, so that ClickHouse will never answer it. */
const WRONG_QUESTIONS = new Set([
  '36', // BAD_ARGUMENTS
  '42', // NUMBER_OF_ARGUMENTS_DOESNT_MATCH
  '43', // ILLEGAL_TYPE_OF_ARGUMENT
  '46', // UNKNOWN_FUNCTION
  '47', // UNKNOWN_IDENTIFIER
  '53', // TYPE_MISMATCH
  '60', // UNKNOWN_TABLE
  '62', // SYNTAX_ERROR
  '164', // READONLY
  '167', // TOO_DEEP_AST
  '168', // TOO_BIG_AST
  '386', // NO_COMMON_TYPE
  '427', // CANNOT_COMPILE_REGEXP
  '456', // UNKNOWN_QUERY_PARAMETER
  '457', // BAD_QUERY_PARAMETER
]);

/** Errors of a server that denies access to the user. */
const DENIALS = new Set([
  '192', // UNKNOWN_USER
  '193', // WRONG_PASSWORD
  '194', // REQUIRED_PASSWORD
  '195', // IP_ADDRESS_NOT_ALLOWED
  '164', // READONLY
  '497', // ACCESS_DENIED
  '516', // AUTHENTICATION_FAILED
]);

/** Converts an error of opening or migrating. */
export function openingError(error: unknown): TidemarkError {
  const { code, says } = codeAndText(error);
  const cause = quoteless(error, says);
  if (DENIALS.has(code)) return new TidemarkError('SERVER_DENIED', `ClickHouse denies access: ${says}`, { cause });
  if (isPermanent(error)) return new TidemarkError('SERVER_DENIED', `no TLS with ClickHouse: ${says}`, { cause });
  if (WRONG_QUESTIONS.has(code))
    return new TidemarkError('STORE_REJECTED', `ClickHouse refuses it: ${says}`, { cause });
  return clickHouseUnavailable(error, says);
}

/** The message of ClickHouse's driver for a timeout. The error has no code. */
const NO_ANSWER = 'Timeout error.';

/** Converts the error of an insert. */
export function insertError(error: unknown): TidemarkError {
  const { code, says } = codeAndText(error);
  if (LIMIT_OF_CODE[code] === 'time' || says === NO_ANSWER) {
    const cause = quoteless(error, says);
    return new TidemarkError('STORE_TIMEOUT', `ClickHouse does not finish it in time: ${says}`, { cause });
  }
  return REJECTED_ROWS.has(code)
    ? new TidemarkError('STORE_REJECTED', `ClickHouse refuses a row: ${says}`, { cause: quoteless(error, says) })
    : clickHouseUnavailable(error, says);
}

/** Converts the error of a query. With its limits, the message describes the exceeded one. */
export function questionError(error: unknown, limits?: QueryLimits): TidemarkError {
  const { code, says } = codeAndText(error);
  const limit = LIMIT_OF_CODE[code];
  const options = { cause: quoteless(error, says) };
  if (limit !== undefined) {
    const most = limits === undefined ? '' : ` (${amountOf(limit, limits)})`;
    return new TidemarkError('QUERY_LIMIT', `the question went past its limit of ${limit}${most}`, options);
  }
  if (WRONG_QUESTIONS.has(code)) return new TidemarkError('STORE_REJECTED', `ClickHouse refuses it: ${says}`, options);
  return clickHouseUnavailable(error, says);
}

function amountOf(limit: Limit, { maxMs, maxMemoryBytes, maxRowsRead }: QueryLimits): string {
  return { time: `${maxMs} ms`, memory: `${maxMemoryBytes} bytes`, rows: `${maxRowsRead} rows read` }[limit];
}

function clickHouseUnavailable(error: unknown, says: string): TidemarkError {
  return new TidemarkError('STORE_UNAVAILABLE', `ClickHouse cannot do it now: ${says}`, {
    cause: quoteless(error, says),
  });
}

function codeAndText(error: unknown): { code: string; says: string } {
  if (!(error instanceof ClickHouseError)) return { code: '', says: reasonOf(error) };
  return {
    code: error.code,
    says: `${error.code} ${error.type ?? ''}`.trim() + patternSays(error) + systemSays(error) + shardOf(error),
  };
}

/** What is wrong with a pattern, in the words of RE2, without the pattern. */
function patternSays({ code, message }: ClickHouseError): string {
  const reason = code === '427' ? /, error: (.+?)(?:: |\. Look at )/s.exec(message)?.[1] : undefined;
  return reason === undefined ? '' : ` (${reason})`;
}

/** The error of the operating system (disk full, too many open files), by its number: ClickHouse's text has values. */
function systemSays({ code, message }: ClickHouseError): string {
  const errno = REJECTED_ROWS.has(code) ? undefined : /\berrno: (\d{1,3})\b/.exec(message)?.[1];
  const [name, text] = (errno && getSystemErrorMap().get(-Number(errno))) || [];
  return name === undefined ? '' : ` (${name}: ${text})`;
}

/** The server of a cluster that the one that was asked cannot reach. */
function shardOf({ code, message }: ClickHouseError): string {
  const server = NO_CONNECTION.has(code) ? /\(([\w.:[\]-]+:\d+)[),]/.exec(message)?.[1] : undefined;
  return server === undefined ? '' : ` (of the shard at ${server})`;
}

/** Drops ClickHouse's text, because it quotes the row or value, which may be personal data that must not be printed. */
function quoteless(error: unknown, says: string): unknown {
  if (!(error instanceof ClickHouseError)) return error;
  const cause = new Error(says);
  cause.stack = `Error: ${says}\n${error.stack
    ?.split('\n')
    .filter((line) => line.startsWith('    at '))
    .join('\n')}`;
  return cause;
}
