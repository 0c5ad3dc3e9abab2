/** First words of a title that needs its describe to be a sentence: a verb without a subject, or a preposition. */
const FRAGMENT = new RegExp(
  `^(?:${[
    'is are was has have had does do did may must can cannot will would could needs',
    'accepts adds aborts answers applies apply appends asks becomes begins bounds breaks brings carries carry changes',
    'checks claims closes comes compares compacts continues copies counts creates cuts deletes drops ends ends excludes',
    'exits fails finds finishes flushes follows forgets gets gives go goes grows holds ignores inserts keep keeps knows',
    'leaves lets limits list lists load loads logs lose loses make makes merges moves names notices opens parses passes',
    'puts prints reads refuse refuses releases removes repeats replaces reports resolves retries returns runs says scans',
    'sees see sends sets show shows skips sorts starts stays stop stops stores takes take tells throws trims tries uses',
    'waits wants wakes works writes yields',
    'as at because by for from in into nor of on over so than that under until when where while whose with within without',
  ]
    .join(' ')
    .split(' ')
    .join('|')}) `,
);

const TITLE = /^\s*test(?:\.\w+(?:\([^\n]*\)|\(\[[\s\S]*?\]\))?)?\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gm;

export function titlesOf(text: string): string[] {
  return [...text.matchAll(TITLE)].map(([, , title]) => title ?? '');
}

/** The titles that are no sentences without their describe. */
export function fragmentsIn(titles: readonly string[]): string[] {
  return titles.filter(
    (title) =>
      FRAGMENT.test(`${title} `) &&
      !/^(?:that|where|when|while|as|of|by|in|on|with|without|under|from|for|at|because|until|over) .*[,:] /.test(
        title,
      ),
  );
}
