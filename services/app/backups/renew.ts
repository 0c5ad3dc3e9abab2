/** Renews a log of Kafka under another prefix, beside a service that runs or not. */
import { openLogCopy, urlWithPrefix } from '../../event-log/open.ts';
import { TOPICS } from '../../messages/message.ts';
import { renewLog, type RenewedLog } from '../../operations/backup/renew-log.ts';
import { type CommandCall, commandInvalid } from '../../runtime/command.ts';
import type { Config } from '../../runtime/config.ts';
import { createLogger } from '../../runtime/logger.ts';
import { StoreOpener } from '../open-stores.ts';

export interface WantedRenewal {
  /** That of the new topics. */
  readonly prefix: string;
  /** Nobody writes any more. */
  readonly isLast: boolean;
}

/** @throws TidemarkError as `renewLog`; `COMMAND_INVALID` where the log is not of Kafka, or has this prefix. */
export async function renewLogOf(
  config: Config,
  { prefix, isLast }: WantedRenewal,
  call: Pick<CommandCall, 'report' | 'signal'>,
): Promise<RenewedLog & { readonly event_log_url: string }> {
  const url = urlWithPrefix(config.eventLogUrl, prefix);
  if (url === undefined)
    throw commandInvalid('Records of an embedded log are overwritten: only one of Kafka is renewed.');
  if (url === config.eventLogUrl) throw commandInvalid(`The topics of the log have the prefix ${prefix} already.`);
  const opener = new StoreOpener(config, createLogger('silent', { write: () => undefined }), undefined);
  await using opened = new AsyncDisposableStack();
  const database = opened.adopt(await opener.database(), (store) => store.close());
  const codec = await opener.codec();
  const from = opened.adopt(await opener.log(), (log) => log.close());
  const copy = { topics: TOPICS, partitions: config.eventLogPartitions };
  const to = opened.adopt(await openLogCopy(url, copy), (log) => log.close());
  return { ...(await renewLog({ from, to, codec, database }, isLast, call)), event_log_url: url };
}
