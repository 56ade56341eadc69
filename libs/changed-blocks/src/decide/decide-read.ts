import { parentSnapshotValues } from '@lateen/api-types';
import { fixedChunkBytes } from '@lateen/kopia-format';

/** The value of a fact that a snapshot of files does not have: its size and its chunks are not those of the volume, so nothing depends on it. */
export const doesNotApply: unique symbol = Symbol('does not apply');
export type NotApplicable = typeof doesNotApply;

/** A snapshot of this source in the repository. */
export interface StoredSnapshot {
  readonly snapshotID: string;
  readonly isComplete: boolean;
  /** Size of the volume when it was taken. */
  readonly sizeBytes: number | NotApplicable;
  /** By which its chunks were cut; undefined when nothing says so. */
  readonly splitter: string | undefined | NotApplicable;
}

/** The snapshot of the volume that was kept in the cluster after an upload, as its notes say (docs/adr/0081). */
export interface BaseSnapshot {
  /** What the driver calls it. */
  readonly snapshotHandle: string;
  readonly driver: string;
  readonly volumeHandle: string;
  /** The snapshot in the repository that was made of it, and in which location. */
  readonly snapshotID: string;
  readonly backupStorageLocation: string;
}

/** What a decision between a full read and a read of changes needs to know. */
export interface ReadFacts {
  /** `spec.parentSnapshot` of the movement: empty, `auto`, `none`, or the ID of a snapshot. */
  readonly parentSnapshot: string | undefined;
  /** All snapshots of this source in the repository, the newest first. */
  readonly stored: readonly StoredSnapshot[];
  /** The snapshots of this volume that were kept. */
  readonly bases: readonly BaseSnapshot[];
  /** What is to be read now. */
  readonly target: {
    readonly driver: string;
    readonly volumeHandle: string;
    readonly sizeBytes: number;
    readonly backupStorageLocation: string;
  };
  /** By which chunks are cut now; undefined when nothing says so. */
  readonly splitter: string | undefined | NotApplicable;
  /** Whether there is a SnapshotMetadataService for the driver. */
  readonly hasService: boolean;
}

/** How a volume is read. The reason is for the status; it says what to change, if anything. */
export type ReadDecision =
  | { readonly kind: 'full'; readonly reason: string }
  | {
      readonly kind: 'changes';
      readonly parent: StoredSnapshot;
      readonly base: BaseSnapshot;
      readonly chunkBytes: number | NotApplicable;
    };

/** Reasons of a full read that are known before the repository is read. */
export const fullReasons = {
  noParent: 'parentSnapshot is none',
  first: 'first backup of the volume',
  baseGone: 'base snapshot gone',
  noService: (driver: string) =>
    `nothing in the cluster tells changed blocks of driver ${driver}: it has no SnapshotMetadataService`,
} as const;

/**
 * Whether everything is read or the changes alone. Nothing is assumed: what is not known is a reason for a full read. Snapshots in the
 * repository that are newer than the base do not matter: the storage compares with the base, whatever was stored since (docs/adr/0081). Pure.
 */
export function decideRead(facts: ReadFacts): ReadDecision {
  const from = startOf(facts);
  if ('reason' in from) return { kind: 'full', ...from };
  const { parent, base } = from.found;
  const { driver, volumeHandle } = facts.target;
  if (base.driver !== driver) return { kind: 'full', reason: `the volume has another driver, ${driver}` };
  if (base.volumeHandle !== volumeHandle) return { kind: 'full', reason: 'the claim has another volume' };
  const chunkBytes = chunkBytesFor(facts, parent);
  if ('reason' in chunkBytes) return { kind: 'full', ...chunkBytes };
  return { kind: 'changes', parent, base, chunkBytes: chunkBytes.found };
}

type Found<T> = { readonly found: T } | { readonly reason: string };

/** A snapshot in the repository, and the one in the cluster that it was made of. */
interface Start {
  readonly parent: StoredSnapshot;
  readonly base: BaseSnapshot;
}

function startOf({ parentSnapshot = '', stored, bases, target }: ReadFacts): Found<Start> {
  if (parentSnapshot === parentSnapshotValues.none) return { reason: fullReasons.noParent };
  const here = bases.filter(({ backupStorageLocation }) => backupStorageLocation === target.backupStorageLocation);
  const startAt = (parent: StoredSnapshot): Start | undefined => {
    const base = here.find(({ snapshotID }) => snapshotID === parent.snapshotID);
    return base === undefined ? undefined : { parent, base };
  };
  if (parentSnapshot === '' || parentSnapshot === parentSnapshotValues.auto) {
    const start = stored.flatMap((each) => (each.isComplete ? (startAt(each) ?? []) : [])).at(0);
    return start === undefined ? { reason: whyNoStart(stored) } : { found: start };
  }
  const named = stored.find(({ snapshotID }) => snapshotID === parentSnapshot);
  if (named === undefined) return { reason: `parent snapshot ${parentSnapshot} is not in the repository` };
  if (!named.isComplete) return { reason: `parent snapshot ${parentSnapshot} is incomplete` };
  const start = startAt(named);
  return start === undefined
    ? { reason: `parent snapshot ${parentSnapshot} is not kept in the cluster` }
    : { found: start };
}

function whyNoStart([newest]: readonly StoredSnapshot[]): string {
  if (newest === undefined) return fullReasons.first;
  return newest.isComplete ? fullReasons.baseGone : `snapshot ${newest.snapshotID}, the last one, is incomplete`;
}

/** The size of the chunks, if those of the parent are the same as those that would be cut now. */
function chunkBytesFor(
  { splitter, target, hasService }: ReadFacts,
  parent: StoredSnapshot,
): Found<number | NotApplicable> {
  if (parent.sizeBytes !== doesNotApply) {
    if (target.sizeBytes > parent.sizeBytes) return { reason: 'volume grew' };
    if (target.sizeBytes < parent.sizeBytes) return { reason: 'volume shrank' };
  }
  const found = splitter === doesNotApply ? splitter : fixedChunkBytes(splitter ?? '');
  if (found === undefined) return { reason: `${splitterText(splitter)} does not cut at fixed places` };
  if (parent.splitter !== splitter)
    return { reason: `snapshot ${parent.snapshotID} was cut by another splitter, ${splitterText(parent.splitter)}` };
  return hasService ? { found } : { reason: fullReasons.noService(target.driver) };
}

const splitterText = (splitter: StoredSnapshot['splitter']) =>
  splitter === undefined || splitter === doesNotApply ? 'one that nothing names' : splitter;
