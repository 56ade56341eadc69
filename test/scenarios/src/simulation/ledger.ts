/** A mover that is at work. */
export interface RunningMover {
  podUid: string;
  movementUid: string;
  node: string;
  /** Touches the volume now. */
  moving: boolean;
  /** False when its pod was taken away and nobody could end it. */
  hasPod: boolean;
}

/**
 * What is true outside of the API server: which movers run, what the repository holds, which volumes are whole. What the
 * objects say is held against it.
 */
export class Ledger {
  /** By the pod's uid. */
  readonly running = new Map<string, RunningMover>();
  /** Snapshots in the repository, by the uid of what was backed up. */
  readonly saved = new Map<string, Set<string>>();
  /** PersistentVolumes into which a restore has been completed. */
  readonly filled = new Set<string>();
  /** Restores into volumes of pods that hold all data, by uid. */
  readonly restored = new Set<string>();
  /** Backups whose pod was gone, or going, before all was read; by uid. */
  readonly hollow = new Set<string>();
  /** Pods whose volumes are moved and that have gone, or are told to; by name. */
  readonly clientsGone = new Set<string>();
  /** Nodes whose agent was away for so long that others may think it lost. */
  readonly stranded = new Set<string>();
  /** Hosting pods that were lost for a reason outside the data, by the movement's uid. */
  readonly losses = new Map<string, number>();
  /** Movements of which a mover has said that its data cannot be moved. */
  readonly dataFaults = new Set<string>();
  /** Data paths that were begun, for figures. */
  begun = 0;

  lose(movementUid: string): void {
    this.losses.set(movementUid, (this.losses.get(movementUid) ?? 0) + 1);
  }

  save(movementUid: string, snapshotId: string): void {
    this.saved.set(movementUid, (this.saved.get(movementUid) ?? new Set()).add(snapshotId));
  }

  /** A mover writes the volume of this restore. */
  writerOf(movementUid: string): boolean {
    return this.runningOf(movementUid).some((each) => each.moving);
  }

  runningOf(movementUid: string): RunningMover[] {
    return [...this.running.values()].filter((each) => each.movementUid === movementUid);
  }
}
