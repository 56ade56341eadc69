export interface SessionCallOptions {
  signal: AbortSignal;
}

/** What the repository says of itself when a session begins. */
export interface RepositoryParameters {
  /** Of the format: sources may have another one by policy. */
  splitter: string;
  hashFunction: string;
  supportsContentCompression: boolean;
}

export interface FoundManifest {
  id: string;
  labels: Readonly<Record<string, string>>;
}

export interface StoredManifest extends FoundManifest {
  /** As it was stored. */
  json: string;
}

/**
 * A repository, open for single contents and manifests. Calls may run side by side; a few are under way, others wait. Each rejects
 * with REPOSITORY_SESSION_LOST (retry `soon`) when the server or the connection is gone: this session is of no use then, a new one is
 * needed, and **everything that was written since the last `flush` counts as not written**. Contents may be written again as often
 * as one likes; a manifest that was put, and whose flush was not answered, is looked for before it is put again.
 * Errors beside that: REPOSITORY_SESSION_DENIED, OBJECT_STORE_…, ENGINE_FAILED; the signal's reason on abort, and then the
 * server may still do what was asked.
 */
export interface ServerSession {
  readonly parameters: RepositoryParameters;
  /** Aborts when the session is lost or closed. */
  readonly over: AbortSignal;
  /**
   * Stores bytes (20 MiB at most) and returns their content ID; the same bytes are stored once. They are sent from where they are: change them
   * only after it has resolved, and never after it has rejected.
   */
  writeContent(content: ContentToWrite, options: SessionCallOptions): Promise<string>;
  /** The bytes of a content, verified by the server. @throws CONTENT_MISSING */
  getContent(contentId: string, options: SessionCallOptions): Promise<Uint8Array>;
  /** Manifests that have all of these labels, in no order. */
  findManifests(labels: Readonly<Record<string, string>>, options: SessionCallOptions): Promise<FoundManifest[]>;
  /** @throws SNAPSHOT_NOT_FOUND */
  getManifest(id: string, options: SessionCallOptions): Promise<StoredManifest>;
  /** Stores a manifest and returns its ID. Twice makes two. */
  putManifest(manifest: Omit<StoredManifest, 'id'>, options: SessionCallOptions): Promise<string>;
  /** @throws SNAPSHOT_NOT_FOUND */
  deleteManifest(id: string, options: SessionCallOptions): Promise<void>;
  /** Resolves when everything written before is on the store. Manifests become visible together. */
  flush(options: SessionCallOptions): Promise<void>;
  /** Ends server and connection, and resolves when they are gone. Safe to repeat. What was not flushed may be lost. */
  close(): Promise<void>;
}

export interface ContentToWrite {
  /** One letter for metadata (`k` a folder, `x` a list of pieces), empty for data. */
  prefix: string;
  data: Uint8Array;
  /** Metadata is compressed as kopia compresses its own. Default false. */
  isCompressed?: boolean;
}
