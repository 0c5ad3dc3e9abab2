/** How large a definition may be. schemas/audience.json says the same. */

/** Groups within groups, the outermost included. */
export const MAX_GROUP_DEPTH = 10;

/** Lists whose objects have lists, the outermost included. */
export const MAX_LIST_DEPTH = 3;

/** Conditions and the members under `where` and `has`, together. */
export const MAX_CONDITIONS = 100;

/** Conditions of the saved audiences that a definition refers to, and that those refer to, together. */
export const MAX_REFERRED_CONDITIONS = 1000;

/** Values of one `in`. */
export const MAX_VALUES = 1000;

/** Values of all `in` of one definition, and ids of its `users`. */
export const MAX_VALUES_TOGETHER = 10_000;

/** The same for the saved audiences that a definition refers to, each counted as often as it is referred to. */
export const MAX_REFERRED_VALUES = 100_000;

/** Keys of one path. */
export const MAX_PATH_KEYS = 16;

/** Code points of a key, an event's name or a string to compare with. */
export const MAX_TEXT = 512;

/** About the instructions of RE2 for one pattern. */
export const MAX_STEPS = 1_000;

/** The same for all patterns of one request. ClickHouse compiles them in 100 ms, classes of Unicode in 500 ms (measured). */
export const MAX_STEPS_TOGETHER = 10_000;

/** Names of events in one list. */
export const MAX_EVENT_NAMES = 50;

/** Events of which each follows the one before. */
export const MAX_STEPS_IN_SEQUENCE = 5;

/** The largest number of times. */
export const MAX_TIMES = 1_000_000;
