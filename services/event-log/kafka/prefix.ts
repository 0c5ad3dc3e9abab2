import type { EventLog, LogReader } from '../event-log.ts';

/** The log with a prefix before its topics and groups, which callers do not see. */
export function withTopicPrefix(log: EventLog, prefix: string): EventLog {
  const add = <T extends { readonly topic: string }>(all: readonly T[]): readonly T[] =>
    all.map((one) => ({ ...one, topic: prefix + one.topic }));
  const remove = <T extends { readonly topic: string }>(all: readonly T[]): readonly T[] =>
    all.map((one) => ({ ...one, topic: one.topic.slice(prefix.length) }));
  const named = (topics: readonly string[]): readonly string[] => topics.map((topic) => prefix + topic);
  const prefixed = (reader: LogReader): LogReader => ({
    poll: async (options) => remove(await reader.poll({ ...options, of: options.of && add(options.of) })),
    commit: (positions) => reader.commit(add(positions)),
    restart: () => reader.restart(),
    assigned: () => remove(reader.assigned()),
    close: () => reader.close(),
  });
  return {
    append: async (records) => remove(await log.append(add(records))),
    openReader: async ({ group, topics, start }) => {
      const begin: typeof start = async (assigned) => add(await start(remove(assigned)));
      return prefixed(await log.openReader({ group: prefix + group, topics: named(topics), start: begin }));
    },
    scan: async function* (ranges, options) {
      for await (const piece of log.scan(add(ranges), options)) yield* remove([piece]);
    },
    beginnings: async (topics) => remove(await log.beginnings(named(topics))),
    ends: async (topics) => remove(await log.ends(named(topics))),
    cut: (before) => log.cut(add(before)),
    keptMs: async (topic) => log.keptMs?.(prefix + topic),
    storedBytes: async () => (await log.storedBytes?.()) ?? null,
    check: () => log.check(),
    close: () => log.close(),
  };
}
