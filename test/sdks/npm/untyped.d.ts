declare module 'analytics-node' {
  export default class Analytics {
    constructor(writeKey: string, options: { readonly host: string });
    flush(): Promise<unknown>;
  }
}
