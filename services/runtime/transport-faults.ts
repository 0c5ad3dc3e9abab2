/** What errors of Node's network and TLS mean, the same for every server. */

/** What an error, or what a library throws in place of one, may have. */
export interface ErrorParts {
  readonly name?: string;
  readonly message?: string;
  readonly code?: unknown;
  /** The broker's answer, from `@platformatic/kafka`. */
  readonly apiCode?: unknown;
  readonly cause?: unknown;
  readonly errors?: readonly unknown[];
  /** The bytes that an HTTP parser could not read. */
  readonly rawPacket?: Uint8Array;
}

/**
 * Permanent faults: somebody must change a setting or a certificate. All others are temporary: the server
 * is not there (`ECONNREFUSED`, `ENOTFOUND`, `EHOSTUNREACH`), does not answer (`ETIMEDOUT`, `EAI_AGAIN`) or disconnects
 * (`ECONNRESET`, `EPIPE`), as do those of our own machine (`EMFILE`, `OUT_OF_MEM`).
 */
const PERMANENT = [
  // What is wrong with a certificate: https://nodejs.org/docs/latest-v24.x/api/tls.html#x509-certificate-error-codes
  /^(?:CERT|CRL|DEPTH_ZERO|ERROR_IN_CERT|ERROR_IN_CRL|PATH_LENGTH|SELF_SIGNED|UNABLE_TO)_/,
  /^(?:HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|UNSPECIFIED)$/,
  // What is wrong with the handshake: https://nodejs.org/docs/latest-v24.x/api/errors.html#nodejs-error-codes
  /^(?:ERR_SSL_|ERR_TLS_|EPROTO$)/,
];

/** The faults among these of one connection only: it was too slow, damaged in transit or cut. */
const TEMPORARY_TLS = /^ERR_TLS_HANDSHAKE_TIMEOUT$|_BAD_RECORD_MAC$|_UNEXPECTED_EOF_WHILE_READING$/;

/** Whether the connection failed for good: this side and the server cannot agree on TLS, or on each other's certificates. */
export function isPermanent(error: unknown): boolean {
  return errorsIn(error).some(({ code, rawPacket }) => {
    if (rawPacket !== undefined) return isTlsRecord(rawPacket);
    return typeof code === 'string' && PERMANENT.some((pattern) => pattern.test(code)) && !TEMPORARY_TLS.test(code);
  });
}

/** Whether a server's first bytes are a TLS alert: it expects TLS and received plain text. */
export function isTlsRecord([type, major]: Uint8Array): boolean {
  return type === 0x15 && major === 0x03;
}

/** The messages of the innermost errors in one line. A host name with several addresses has an error for each. */
export function reasonOf(error: unknown): string {
  const innermost = errorsIn(error).filter(
    ({ cause, errors = [] }) => !(cause instanceof Error) && errors.length === 0,
  );
  const reasons = innermost.map(({ message, code }) => OPENSSL.exec(message ?? '')?.[1] ?? (message || String(code)));
  return [...new Set(reasons)].join(', ').slice(0, 300) || 'it failed';
}

// 408D…:error:0A00010B:SSL routines:tls_validate_record_header:wrong version number:../deps/openssl/…
const OPENSSL = /:SSL routines:[^:]*:([^:]+)/;

/** An error with those that it wraps, the outermost first. */
export function errorsIn(error: unknown): readonly ErrorParts[] {
  if (!(error instanceof Error)) return [];
  const parts: ErrorParts = error;
  return [parts, ...errorsIn(parts.cause), ...(parts.errors ?? []).flatMap(errorsIn)];
}
