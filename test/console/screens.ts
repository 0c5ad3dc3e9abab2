/** The screens of the console by their addresses. */

/** One of everything that has a control. */
const BUILT = `{"all":[{"event":"Order Completed","where":[{"property":"total","gt":5,"lte":1e3}],"count":{"at_least":1,"at_most":9},
  "within":{"between":["2026-01-01","1d"]},"first":{"since":"2026-01-01T10:15"},"last":{"before":"2027-01-01T00:00:00Z"}},
  {"any":[{"trait":"plan","in":["pro",5,true]},{"not":{"trait":["a","b"],"exists":false}}]},{"not":{"not":{"event":"Page Viewed"}}}]}`;

/** Every screen with the text that is on it once it is whole, for the tests and the pictures; a screen that is added is added here. */
export const SCREENS: readonly (readonly [name: string, address: string, text: string])[] = [
  ['Today', '#/', 'All systems normal'],
  ['Live', '#/live', 'Recorded before this page was opened'],
  ['Live, refusals', '#/live?tab=refusals', 'Rejected or corrected in the last 30 days'],
  ['Events', '#/events', 'Order Completed'],
  ['an event', '#/events/Order%20Completed', 'Show as a table'],
  ['an event, split', '#/events/Order%20Completed?split=trait:plan&compare=previous', 'Whole period'],
  ['a funnel', '#/events?view=funnel&by=plan', 'Without plan'],
  ['Users', '#/users', 'u-00001'],
  ['a trait', '#/users/u-00001?history=plan', 'identify'],
  ['a user', '#/users/u-00001', 'There is nothing earlier'],
  [
    'users by a condition',
    '#/users?where=%5B%7B%22trait%22%3A%22country%22%2C%22exists%22%3Atrue%7D%5D',
    'Save as audience',
  ],
  ['a message', '#/live?message=nobody-has-it', 'No message has this id'],
  ['audiences', '#/audiences', 'Left a full cart this week'],
  ['no such audience', '#/audiences/aud_0123456789abcdefghij', 'There is no such audience'],
  ['Webhooks', '#/webhooks', 'No webhooks yet'],
  ['no such webhook', '#/webhooks/end_0123456789abcdefghij', 'There is no such webhook'],
  ['Pipeline', '#/pipeline', 'This needs an admin key'],
  ['Replays', '#/replays', 'This needs an admin key'],
  ['Imports', '#/imports', 'This needs an admin key'],
  ['the beginning of an audience', '#/audiences/new', 'Start from an example'],
  ['the builder', `#/audiences/new?definition=${encodeURIComponent(BUILT)}&test=u-00001`, 'in this audience'],
  [
    'the builder with problems',
    `#/audiences/new?definition=${encodeURIComponent('{"all":[{"wrong":1},{"event":"A","where":[{"property":"b","gt":true}]}]}')}`,
    'problems to fix',
  ],
  ['nobody', '#/users/nobody', 'Nobody is known by this id'],
  ['Dead letters', '#/dead-letters', 'This needs an admin key'],
  ['settings without an admin key', '#/settings/audit', 'This needs an admin key'],
  ['your session', '#/settings/session', 'Ends at the latest'],
];

/** Those of an operator, with an admin key. */
export const ADMIN_SCREENS: typeof SCREENS = [
  ['Backups', '#/backups', 'No backups yet'],
  ['projects', '#/settings', 'no limit'],
  ['admin keys', '#/settings/keys', 'This session'],
  ['audit log', '#/settings/audit', 'Object'],
  ['installation', '#/settings/installation', 'Processes'],
];
