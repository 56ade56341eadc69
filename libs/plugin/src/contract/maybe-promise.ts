/** What an action may give back at once or later. */
export type MaybePromise<T> = T | Promise<T>;
