import type { KubeObject, ResourceType } from '@lateen/api-types';
import type { ObjectKey } from './kube-object.ts';

export interface CallOptions {
  signal?: AbortSignal | undefined;
}

export interface ReadOptions extends CallOptions {
  /**
   * `exact` keeps every number's text (64-bit integers, `1.0`) as `JSON.rawJSON` values, so that writing the object
   * again yields the same bytes. For objects that are backed up or restored; slower. Default `double`.
   */
  numbers?: 'double' | 'exact';
}

export interface ListOptions extends ReadOptions {
  /** All namespaces when absent. */
  namespace?: string | undefined;
  labelSelector?: string;
  fieldSelector?: string;
  /** Page size; default 500. */
  limit?: number;
  continue?: string;
  resourceVersion?: string;
  /** A longer page is refused with KUBE_BAD_ANSWER before it is read to its end. Default: what the client takes of any answer. */
  bytesMax?: number;
  /** Objects of kind, apiVersion and metadata alone: what Secrets hold, and what is large, stays where it is. */
  metadataOnly?: boolean;
}

export interface ListPage<T extends KubeObject> {
  items: T[];
  resourceVersion: string;
  /** Present when there are more pages. */
  continue?: string;
  /** How many objects come after this page, about; absent where the server does not say (with selectors, for example). */
  remaining?: number;
}

export interface WatchOptions extends CallOptions {
  namespace?: string | undefined;
  labelSelector?: string;
  fieldSelector?: string;
  /** Where to start; events after this version are delivered. */
  resourceVersion: string;
  /** The server ends the watch after this many seconds. */
  timeoutSeconds: number;
}

/** Bookmarks carry only kind, apiVersion and metadata.resourceVersion. */
export type WatchEvent<T extends KubeObject> =
  | { type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: T }
  | { type: 'BOOKMARK'; resourceVersion: string };

export interface WriteOptions extends CallOptions {
  fieldManager?: string;
  dryRun?: boolean;
  /** `status`, `token`, `eviction` … */
  subresource?: string;
}

export interface CreateOptions extends WriteOptions {
  /** Needed for namespaced kinds unless `metadata.namespace` is set. */
  namespace?: string | undefined;
}

export type Patch =
  | { type: 'merge'; body: unknown }
  | { type: 'json'; body: readonly JsonPatchOperation[] }
  | { type: 'strategic'; body: unknown }
  | { type: 'apply'; body: unknown; force?: boolean };

export interface JsonPatchOperation {
  op: 'add' | 'remove' | 'replace' | 'test' | 'move' | 'copy';
  path: string;
  from?: string;
  value?: unknown;
}

export interface DeleteOptions extends CallOptions {
  propagationPolicy?: 'Foreground' | 'Background' | 'Orphan';
  gracePeriodSeconds?: number;
  preconditions?: { uid?: string; resourceVersion?: string };
}

/**
 * The Kubernetes API, unstructured. Objects come back as parsed JSON with every field the server sent; what is passed
 * in is never changed. Safe for concurrent use.
 *
 * A key that no object can have (an empty name or namespace, more than one part of a path) is refused by every verb, without
 * a request: KUBE_BAD_REQUEST.
 *
 * Implementations retry what the API declares retryable (429 and 503 with Retry-After, connection failures of reads)
 * within a bounded budget; writes whose outcome is unknown are not repeated. Everything else rejects with a `KubeError` (an AppError
 * with a KUBE_… code, see `kube-error.ts`). When `signal` aborts, the call rejects with the signal's reason; a write may
 * then have happened or not.
 */
export interface KubeApi {
  /** @throws KUBE_NOT_FOUND */
  get<T extends KubeObject>(
    type: ResourceType<T>,
    key: ObjectKey,
    options?: ReadOptions & { subresource?: string },
  ): Promise<T>;
  /** One page. @throws KUBE_GONE when `continue` has expired: see `continueAfterExpiry` */
  list<T extends KubeObject>(type: ResourceType<T>, options?: ListOptions): Promise<ListPage<T>>;
  /**
   * Ends normally when the server closes the stream (timeoutSeconds) and with an error when the connection breaks.
   * @throws KUBE_GONE when `resourceVersion` is too old, be it as HTTP status or as an ERROR event
   */
  watch<T extends KubeObject>(type: ResourceType<T>, options: WatchOptions): AsyncIterable<WatchEvent<T>>;
  /** @throws KUBE_ALREADY_EXISTS, KUBE_INVALID, KUBE_FORBIDDEN */
  create<T extends KubeObject>(type: ResourceType<T>, object: NoInfer<T>, options?: CreateOptions): Promise<T>;
  /** PUT; guarded by metadata.resourceVersion when it is set. @throws KUBE_CONFLICT, KUBE_NOT_FOUND */
  update<T extends KubeObject>(type: ResourceType<T>, object: NoInfer<T>, options?: WriteOptions): Promise<T>;
  /** @throws KUBE_NOT_FOUND, KUBE_CONFLICT (resourceVersion inside the patch), KUBE_INVALID */
  patch<T extends KubeObject>(type: ResourceType<T>, key: ObjectKey, patch: Patch, options?: WriteOptions): Promise<T>;
  /** Resolves when the API accepted the delete, not when the object is gone. @throws KUBE_NOT_FOUND, KUBE_CONFLICT */
  delete(type: ResourceType, key: ObjectKey, options?: DeleteOptions): Promise<void>;
}

export interface PodLogOptions extends CallOptions {
  container?: string;
  /** Keep the stream open until the container ends. */
  follow?: boolean;
  tailLines?: number;
  /** The log of the container's run before its last restart. */
  previous?: boolean;
  /** RFC 3339. */
  sinceTime?: string;
  timestamps?: boolean;
}

/** Logs of pods; apart from KubeApi because few need it. */
export interface PodLogs {
  /** The bytes as they come; chunk borders mean nothing. @throws KUBE_NOT_FOUND, KUBE_BAD_REQUEST (container not started) */
  stream(pod: ObjectKey, options: PodLogOptions): AsyncIterable<Uint8Array>;
}
