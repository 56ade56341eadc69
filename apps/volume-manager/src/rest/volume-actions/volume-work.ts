/** The engine that an action is for, as its host knows it. */
export interface EngineAtWork {
  readonly volume: string;
  /** Name of the Engine object. */
  readonly engine: string;
  /** The node on which it runs. */
  readonly node: string;
  readonly signal: AbortSignal;
}

/**
 * Work that only the host of a running engine can do for an action of the REST API. Each call is made once, by a person or a client that waits for
 * the answer; repeating it is harmless. The client sees the error's message. When `signal` aborts, the host may continue.
 */
export interface VolumeWork {
  /** Trims the file system on the volume; resolves when that is done. */
  trim(request: EngineAtWork): Promise<void>;
  /** Resets the head to the snapshot; resolves when that is done. The caller has checked that no front end runs. */
  revert(request: EngineAtWork & { readonly snapshot: string }): Promise<void>;
  /** Begins to merge removed snapshots; resolves when that has begun. The Engine's status has the progress. */
  purge(request: EngineAtWork): Promise<void>;
  /** Marks a snapshot without a Snapshot object as removed; resolves when it is marked. */
  removeSnapshot(request: EngineAtWork & { readonly snapshot: string }): Promise<void>;
}
