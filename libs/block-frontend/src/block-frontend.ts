/** What a front end is made of. */
export interface FrontendRequest {
  volume: string;
  /** Names this one start, as for every process of the node: a run that has ended is not started again. */
  run: string;
  /** The unix socket of the engine's NBD server, for this volume's front end alone. */
  socketPath: string;
  /** No secret: it is on a command line. The socket is what is protected. */
  exportName: string;
  /** Of the device. The export has to be {@link exportBytes} long. */
  sizeBytes: number;
  /** The export extends this far beyond the device, so that the device can grow without a new connection. */
  reserveBytes: number;
}

export interface AttachedDevice {
  /** `/dev/loop3`, `/dev/nbd0` */
  path: string;
  sizeBytes: number;
  /** The device can grow up to here while it is attached. */
  sizeBytesMax: number;
}

export type FrontendState =
  | { readonly kind: 'none' }
  | { readonly kind: 'attached'; readonly device: AttachedDevice }
  /** Started, or left by a start, a stop or the death of a process. `start` continues where it can; `stop` may always be called. */
  | { readonly kind: 'partial'; readonly reason: string };

/** Takes away what leads to the device of a volume, before it is detached: its number may be another file's right after. */
export type LetGo = (volume: string, device: string) => Promise<void>;

/**
 * Makes the engine of a volume a block device of this node, and removes it again. Every call may be repeated, after any
 * interruption and by another program than the one that began: the present state is read, not remembered.
 *
 * The end of an engine is an I/O error for users of the device, and nothing connects again: a new engine has a new front end.
 */
export interface BlockFrontend {
  look(volume: string, signal: AbortSignal): Promise<FrontendState>;
  /**
   * Resolves when the device can be used.
   * @throws AppError `NOT_POSSIBLE_NOW` when something of an earlier one is left (stop it first), or when nothing answers in time;
   * what it began stays, for the next call and for `stop`
   */
  start(request: FrontendRequest, signal: AbortSignal): Promise<AttachedDevice>;
  /**
   * Makes the device longer while it is in use; the engine has grown before. Does nothing when it already has that length.
   * @throws AppError `NOT_POSSIBLE_NOW` beyond `sizeBytesMax`, where only a new attachment helps, and without a device
   */
  grow(volume: string, sizeBytes: number, signal: AbortSignal): Promise<AttachedDevice>;
  /**
   * Removes device, mounts and process, each when it is no longer in use; resolves when all of them are gone.
   * @throws AppError `NOT_POSSIBLE_NOW`, which names what it waits for; the next call continues
   */
  stop(volume: string, signal: AbortSignal): Promise<void>;
  /**
   * Detaches devices that died front ends of ours have left and of which nothing else is known: those of wanted volumes stay for `stop`. One
   * that is in use goes when its last user does; one that cannot be detached is logged.
   */
  detachLost(wanted: ReadonlySet<string>, letGo: LetGo, signal: AbortSignal): Promise<void>;
}
