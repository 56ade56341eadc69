import type { Call } from '../instance-host/instance-host.ts';
import type {
  BlockReader,
  BlockSnapshot,
  BlockVolume,
  CreateBlockVolume,
  Extent,
  FreezeMode,
  Labels,
  Parameters,
  Topology,
} from './block-volume.ts';

/** Abilities that engines differ in. */
export interface BlockEngineAbilities {
  /** A volume can be attached to any node, not only to the one that it was made on. */
  readonly multiNode: boolean;
  /** A volume can grow while it is attached. */
  readonly onlineGrow: boolean;
  /** A snapshot is possible of a device that is in use without a mounted file system. */
  readonly rawSnapshotInUse: boolean;
  /** A snapshot stays readable when its volume is deleted; otherwise it is deleted with the volume. */
  readonly snapshotsOutliveVolume: boolean;
  /** A new volume can begin with the data of a snapshot or another volume; otherwise a source is `NOT_SUPPORTED`. */
  readonly clones: boolean;
}

/** Identifies who asks for a device: the device stays until everybody who asked for it has detached it. */
export interface AttachCall extends Call {
  readonly by: string;
}

/**
 * Volumes of blocks, as CSI, backups and snapshot metadata see them. Every call is idempotent by name. An abort rejects with its reason; the next
 * call of the same name continues what was begun.
 *
 * Errors are AppErrors with the codes of `volume-errors.ts`, each with a next step. A name is 1 to 128 bytes; names of snapshots are unique per
 * engine, not per volume. Errors that every call may have: `INVALID_ARGUMENT` for a name that is not valid, `VOLUME_BUSY` while another call works on
 * the volume.
 */
export interface BlockEngine {
  readonly name: 'local' | 'replicated';
  readonly can: BlockEngineAbilities;
  /** The areas of {@link extents} are aligned to it. A power of two. */
  readonly granularityBytes: number;

  /** @throws `VOLUME_EXISTS` (another size or source), `OUT_OF_RANGE`, `NO_ROOM`, `VOLUME_NOT_FOUND` or `SNAPSHOT_NOT_FOUND` of the source */
  create(request: CreateBlockVolume, o: Call): Promise<BlockVolume>;
  /** Does nothing when the volume does not exist. @throws `VOLUME_BUSY` while it is in use */
  delete(volume: string, o: Call): Promise<void>;
  get(volume: string, o: Call): Promise<BlockVolume | undefined>;

  /**
   * Makes the volume usable on `node`; resolves when its device answers there.
   * @throws `VOLUME_BUSY` while it is attached to another node (the message names it), `NOT_POSSIBLE_NOW` for a node that cannot have it
   */
  attach(
    volume: string,
    node: string,
    o: AttachCall & { readOnly?: boolean },
  ): Promise<{ readonly devicePath: string }>;
  /**
   * Withdraws the request of `by`. If no other client has requested the device, it resolves when no process of that node can write any more (verified,
   * not only requested). Does nothing when the volume is not attached or does not exist. @throws `VOLUME_BUSY` while a process has the device open
   */
  detach(volume: string, node: string, o: AttachCall): Promise<void>;

  /** A smaller size is `OUT_OF_RANGE`. New bytes are zeros. With `can.onlineGrow`, an attached device has the new size when this resolves. */
  grow(volume: string, sizeBytes: bigint, o: Call): Promise<BlockVolume>;

  /**
   * A snapshot shows the volume at one moment during the call: of writes that were acknowledged one after the other it has the first ones.
   * @throws `SNAPSHOT_EXISTS` when another volume has a snapshot of this name, `NOT_POSSIBLE_NOW`, `NO_ROOM`
   */
  snapshot(
    volume: string,
    snapshot: string,
    o: Call & { readonly labels?: Labels; readonly freeze?: FreezeMode },
  ): Promise<BlockSnapshot>;
  /**
   * Does nothing when it does not exist. Other snapshots, and volumes made from it, are not affected. @throws `VOLUME_BUSY` while a reader has it
   * open
   */
  deleteSnapshot(volume: string, snapshot: string, o: Call): Promise<void>;
  /**
   * The volume has the snapshot's bytes again and keeps its own size; what was added by growth reads as zeros. @throws `NOT_POSSIBLE_NOW` while it is
   * attached
   */
  revert(volume: string, snapshot: string, o: Call): Promise<void>;
  /** Oldest first. @throws `VOLUME_NOT_FOUND`, unless snapshots of the volume outlived it */
  listSnapshots(volume: string, o: Call): AsyncIterable<BlockSnapshot>;

  /**
   * Areas of a snapshot that have data; with `since`, areas that may differ from that snapshot of the same volume, which may be older or newer.
   * Ascending, not adjacent, within the snapshot's size, starts and ends aligned to {@link granularityBytes}. Everything outside of the areas is
   * zeros, or with `since` equal. `startBytes` leaves out what lies before it: a caller that was interrupted continues from the end of the last area.
   * Neither snapshot is deleted while this is read.
   * @throws `SNAPSHOT_NOT_FOUND`, also for another volume's; `OUT_OF_RANGE` for a negative start or one beyond the end
   */
  extents(
    volume: string,
    snapshot: string,
    o: Call & { readonly since?: string; readonly startBytes?: bigint },
  ): AsyncIterable<Extent>;
  /**
   * Reads a snapshot while its volume is in use. The caller has to close the reader: an open reader blocks the deletion. @throws `SNAPSHOT_NOT_FOUND`
   */
  openSnapshot(volume: string, snapshot: string, o: Call): Promise<BlockReader>;

  /** Frees the space that the volume's mounted file system does not use. @throws `NOT_POSSIBLE_NOW` when no file system is mounted */
  trim(volume: string, o: Call): Promise<{ readonly freedBytes: bigint }>;
  condition(volume: string, o: Call): Promise<{ readonly abnormal: boolean; readonly message: string }>;
  /** How much could be created now: in total, and as one volume. */
  capacity(
    where: Topology | undefined,
    parameters: Parameters,
    o: Call,
  ): Promise<{ readonly availableBytes: bigint; readonly largestBytes: bigint }>;
}
