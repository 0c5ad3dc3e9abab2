/** As much of a browser as Segment's SDK for browsers asks for. Import it before the SDK. */
const stored = new Map<string, string>();

Object.assign(globalThis, {
  window: globalThis,
  location: new URL('https://shop.example/pricing'),
  addEventListener: () => undefined,
  removeEventListener: () => undefined,
  document: {
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
    querySelector: () => null,
    querySelectorAll: () => [],
    getElementsByTagName: () => [],
    cookie: '',
    referrer: '',
    title: 'Pricing',
    readyState: 'complete',
  },
});
// Node has these two of its own, which cannot be assigned.
Object.defineProperty(globalThis, 'navigator', { value: { userAgent: 'Browser', language: 'en', onLine: true } });
Object.defineProperty(globalThis, 'localStorage', {
  value: {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => stored.set(name, value),
    removeItem: (name: string) => stored.delete(name),
  },
});
