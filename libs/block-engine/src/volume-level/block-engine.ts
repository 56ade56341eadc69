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

/** What one engine can do and another cannot. */
export interface BlockEngineAbilities {
  /** A volume can be attached to any node, not only to the one that it was made on. */
  readonly multiNode: boolean;
  /** Grows while it is attached. */
  readonly onlineGrow: boolean;
  /** A snapshot of a device that is in use without a mounted file system. */
  readonly rawSnapshotInUse: boolean;
  /** A snapshot stays, and can be read, when its volume is deleted; otherwise it goes along. */
  readonly snapshotsOutliveVolume: boolean;
  /** A new volume can begin with what a snapshot or another volume has; otherwise a source is `NOT_SUPPORTED`. */
  readonly clones: boolean;
}

/** Who asks for a device: the device stays until everybody who asked has given it back. */
export interface AttachCall extends Call {
  readonly by: string;
}

/**
 * Volumes of blocks, as CSI, backups and snapshot metadata see them. Every call is idempotent by name. An abort rejects with
 * its reason and leaves what was begun to the next call of the same name.
 *
 * Errors are AppErrors with the codes of `volume-errors.ts`, each with a next step. A name is 1 to 128 bytes; snapshots are
 * named once per engine, not once per volume. Errors that every call may have: `INVALID_ARGUMENT` for a name that cannot be,
 * `VOLUME_BUSY` while another call works on the volume.
 */
export interface BlockEngine {
  readonly name: 'local' | 'replicated';
  readonly can: BlockEngineAbilities;
  /** What {@link extents} are aligned to. A power of two. */
  readonly granularityBytes: number;

  /** @throws `VOLUME_EXISTS` (another size or source), `OUT_OF_RANGE`, `NO_ROOM`, `VOLUME_NOT_FOUND` or `SNAPSHOT_NOT_FOUND` of the source */
  create(request: CreateBlockVolume, o: Call): Promise<BlockVolume>;
  /** Absent is fine. @throws `VOLUME_BUSY` while somebody uses it */
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
   * Gives back what `by` asked for. When nobody else asked, it resolves when no process of that node can write any more (seen, not
   * requested). Not attached, or no such volume, is fine. @throws `VOLUME_BUSY` while a process has the device open
   */
  detach(volume: string, node: string, o: AttachCall): Promise<void>;

  /** Never smaller: `OUT_OF_RANGE`. New bytes are zeros. A device that is attached is as large when this resolves, where `can.onlineGrow`. */
  grow(volume: string, sizeBytes: bigint, o: Call): Promise<BlockVolume>;

  /**
   * The volume at one moment during the call: of writes that were acknowledged one after the other it has the first ones.
   * @throws `SNAPSHOT_EXISTS` for the name of another volume's, `NOT_POSSIBLE_NOW`, `NO_ROOM`
   */
  snapshot(
    volume: string,
    snapshot: string,
    o: Call & { readonly labels?: Labels; readonly freeze?: FreezeMode },
  ): Promise<BlockSnapshot>;
  /** Absent is fine. The others, and volumes made from it, stay as they are. @throws `VOLUME_BUSY` while a reader has it open */
  deleteSnapshot(volume: string, snapshot: string, o: Call): Promise<void>;
  /** The volume has the snapshot's bytes again and its own size; what grew since reads as zeros. @throws `NOT_POSSIBLE_NOW` while it is attached */
  revert(volume: string, snapshot: string, o: Call): Promise<void>;
  /** Oldest first. @throws `VOLUME_NOT_FOUND`, unless it has snapshots that outlived it */
  listSnapshots(volume: string, o: Call): AsyncIterable<BlockSnapshot>;

  /**
   * Areas of a snapshot that have data; with `since` those that may differ from that snapshot of the same volume, which may also be
   * the newer one. Ascending, not adjacent, within the snapshot's size, starts and ends aligned to {@link granularityBytes}. What
   * is not in any area is zeros, with `since` equal. `startBytes` leaves out what lies before it: whoever was interrupted goes
   * on from the end of the last area. Both snapshots stay while this is read.
   * @throws `SNAPSHOT_NOT_FOUND`, also for another volume's; `OUT_OF_RANGE` for a negative start or one beyond the end
   */
  extents(
    volume: string,
    snapshot: string,
    o: Call & { readonly since?: string; readonly startBytes?: bigint },
  ): AsyncIterable<Extent>;
  /** Reads a snapshot while its volume is in use. Close it: an open reader holds off the deletion. @throws `SNAPSHOT_NOT_FOUND` */
  openSnapshot(volume: string, snapshot: string, o: Call): Promise<BlockReader>;

  /** Gives back the room of what the volume's mounted file system does not use. @throws `NOT_POSSIBLE_NOW` without one */
  trim(volume: string, o: Call): Promise<{ readonly freedBytes: bigint }>;
  condition(volume: string, o: Call): Promise<{ readonly abnormal: boolean; readonly message: string }>;
  /** What could be made now: in sum, and as one volume. */
  capacity(
    where: Topology | undefined,
    parameters: Parameters,
    o: Call,
  ): Promise<{ readonly availableBytes: bigint; readonly largestBytes: bigint }>;
}
