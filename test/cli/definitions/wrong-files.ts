/** Files that are not applied, each with what is said of them. */
const X = { name: 'X', definition: { audience: 'Y' } };
const Y = { name: 'Y', definition: { all: [{ audience: 'X' }] } };

export const WRONG_FILES: readonly (readonly [
  title: string,
  files: Readonly<Record<string, object>>,
  message: string,
])[] = [
  ['a reference to nothing', { 'audiences/x.json': X }, 'audiences/x.json /definition/audience names no audience: "Y"'],
  [
    'a circle',
    { 'audiences/x.json': X, 'audiences/y.json': Y },
    'audiences/x.json /definition refers to itself: X → Y → X',
  ],
  ['a name twice', { 'audiences/x.json': { ...X, name: 'On pro' } }, 'audiences/x.json  is the second audience'],
  [
    'a pin of a page about nothing',
    { 'pins/x.json': { name: 'X', address: 'audiences/{audience:Nobody%20else}' } },
    'pins/x.json /address names no audience: "Nobody else"',
  ],
  [
    'a watch that calls nobody',
    { 'watches/x.json': { name: 'X', question: { refused: true }, rule: { above: 5 }, endpoints: ['Nobody'] } },
    'watches/x.json /endpoints/0 names no endpoint: "Nobody"',
  ],
  [
    'a watch whose rule the question does not have',
    { 'watches/x.json': { name: 'X', question: { refused: true }, rule: { none_for: 5 } } },
    'watches/x.json /rule',
  ],
  ['a folder of no kind', { 'audience/x.json': X }, '/audience is unknown here'],
  [
    'an unknown condition',
    { 'audiences/x.json': { name: 'X', definition: { plan: 'pro' } } },
    'audiences/x.json /definition',
  ],
  ['an address of an inner network', { 'endpoints/x.json': { url: 'https://10.0.0.1/' } }, 'endpoints/x.json /url'],
  ['a setting of another type', { 'settings.json': { timezone: 7 } }, 'settings.json /timezone'],
  ['an unknown time zone', { 'settings.json': { timezone: 'Moon/Sea' } }, 'not an IANA time zone'],
  ['a member that is unknown', { 'keys/x.json': { name: 'X', scopes: ['read'], scope: 'read' } }, 'keys/x.json /scope'],
];
