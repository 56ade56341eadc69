/** The engine that an action is for, as it is known to its host. */
export interface EngineAtWork {
  readonly volume: string;
  /** Name of the Engine object. */
  readonly engine: string;
  /** Where it runs. */
  readonly node: string;
  readonly signal: AbortSignal;
}

/**
 * What only the host of a running engine can do for an action of the REST API. Each is asked for once, by a person or a client that waits for the answer;
 * repeating one is harmless. Errors reach the client by their message. When `signal` aborts, the work may go on at the host.
 */
export interface VolumeWork {
  /** Gives back what the file system on the volume has freed; resolves when that is done. */
  trim(request: EngineAtWork): Promise<void>;
  /** The head begins again at the snapshot; resolves when it does. The caller has seen that no front end is there. */
  revert(request: EngineAtWork & { readonly snapshot: string }): Promise<void>;
  /** Begins to merge removed snapshots; resolves when it has begun. How far it is stands in the Engine's status. */
  purge(request: EngineAtWork): Promise<void>;
  /** Marks a snapshot as removed of which there is no Snapshot object; resolves when it is marked. */
  removeSnapshot(request: EngineAtWork & { readonly snapshot: string }): Promise<void>;
}
