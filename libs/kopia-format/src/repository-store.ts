import type { ObjectStore } from '@lateen/object-store';

/** A repository in a bucket. */
export interface RepositoryStore {
  store: Pick<ObjectStore, 'get' | 'read' | 'list'>;
  /** The key of a blob: nearly always `listPrefix` and its name. */
  keyOf(blobId: string): string;
  /** Under which all its blobs are. */
  listPrefix: string;
}
