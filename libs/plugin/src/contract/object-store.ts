import type { ActionContext } from './action-context.ts';
import type { MaybePromise } from './maybe-promise.ts';
import type { LocationConfig } from './volume-snapshotter.ts';

interface ObjectName {
  bucket: string;
  key: string;
}

/** Where backups are. Keys are whole: the prefix of the location is in them. */
export interface ObjectStore {
  /** The body comes as fast as it is asked for. What is stored replaces what was there; nothing is, when the body ends with an error. */
  putObject(input: ObjectName & { body: AsyncIterable<Uint8Array> }, context: ActionContext): MaybePromise<void>;
  objectExists(input: ObjectName, context: ActionContext): MaybePromise<boolean>;
  /** A Readable is an AsyncIterable. The next piece is asked for when the connection has taken the one before. */
  getObject(input: ObjectName, context: ActionContext): MaybePromise<AsyncIterable<Uint8Array>>;
  /** `a/` and `b/` of the keys `a/1`, `a/2`, `b/1` with the delimiter `/`. */
  listCommonPrefixes(
    input: { bucket: string; prefix: string; delimiter: string },
    context: ActionContext,
  ): MaybePromise<readonly string[]>;
  listObjects(input: { bucket: string; prefix: string }, context: ActionContext): MaybePromise<readonly string[]>;
  /** An object that is gone is no error. */
  deleteObject(input: ObjectName, context: ActionContext): MaybePromise<void>;
  /** A URL for a plain GET, good for `ttlMs`. */
  createSignedUrl(input: ObjectName & { ttlMs: number }, context: ActionContext): MaybePromise<string>;
}

/**
 * Makes a store for a location: `config` has its `spec.config`, with `bucket`, `prefix`, `caCert` and `credentialsFile` where they are
 * set. Throwing makes the location Unavailable.
 */
export type MakeObjectStore = (config: LocationConfig, context: ActionContext) => MaybePromise<ObjectStore>;
