/** A running mover. */
export interface RunningMover {
  podUid: string;
  movementUid: string;
  node: string;
  /** Reads or writes the volume now. */
  moving: boolean;
  /** False when its pod object was removed and no kubelet can end it. */
  hasPod: boolean;
}

/**
 * The truth outside the API server: running movers, snapshots in the repository, complete volumes. The status of objects is compared with
 * it.
 */
export class Ledger {
  /** By the pod's uid. */
  readonly running = new Map<string, RunningMover>();
  /** Snapshots in the repository, by the uid of what was backed up. */
  readonly saved = new Map<string, Set<string>>();
  /** PersistentVolumes that were completely restored. */
  readonly filled = new Set<string>();
  /** Restores into volumes of pods that were completed, by uid. */
  readonly restored = new Set<string>();
  /** Backups whose pod was gone or being deleted before everything was read; by uid. */
  readonly hollow = new Set<string>();
  /** Pods with moved volumes that are gone or being deleted; by name. */
  readonly clientsGone = new Set<string>();
  /** Nodes whose agent was away for so long that others may treat it as lost. */
  readonly stranded = new Set<string>();
  /** Hosting pods that were lost without a fault of the data, by the movement's uid. */
  readonly losses = new Map<string, number>();
  /** Movements of which a mover has reported that its data cannot be moved. */
  readonly dataFaults = new Set<string>();
  /** Started data paths, for statistics. */
  begun = 0;

  lose(movementUid: string): void {
    this.losses.set(movementUid, (this.losses.get(movementUid) ?? 0) + 1);
  }

  save(movementUid: string, snapshotId: string): void {
    this.saved.set(movementUid, (this.saved.get(movementUid) ?? new Set()).add(snapshotId));
  }

  /** A mover is writing the volume of this restore. */
  writerOf(movementUid: string): boolean {
    return this.runningOf(movementUid).some((each) => each.moving);
  }

  runningOf(movementUid: string): RunningMover[] {
    return [...this.running.values()].filter((each) => each.movementUid === movementUid);
  }
}
