import type { EngineState, RebuildProgress } from '@lateen/block-engine';
import { apiTime } from '@lateen/kube';
import type { EngineRebuildStatus, EngineSnapshot, EngineStatus, ReplicaMode } from '@lateen/storage-types';
import { progressMs } from './engine-seen.ts';
import { purgesOf } from './purge-status.ts';

export interface MergeContext {
  /** Replicas whose failure is recorded in the Replica, and that have left `spec.replicaAddressMap`. */
  readonly folded: ReadonlySet<string>;
  /** Replicas that have to be rebuilt: their recorded state may be newer than what the host has reported so far. */
  readonly rebuilding: ReadonlySet<string>;
  /** `spec.replicaAddressMap`: the status names replicas that are being rebuilt by their addresses. */
  readonly addresses: Readonly<Record<string, string>>;
  /** `spec.volumeSize`: an engine with this size has grown, whatever failed before. */
  readonly wantedBytes: bigint;
  /** How long ago this manager last wrote progress. */
  readonly sinceProgressMs: number;
  readonly nowMs: number;
}

/**
 * The status of an Engine, updated with its host's report. ERR never becomes RW: a replica with a recorded failure comes back only through a rebuild,
 * which begins only after the failure was folded.
 */
export function mergeEngineStatus(status: EngineStatus, fact: EngineState, context: MergeContext): EngineStatus {
  const { modes, times } = mergeModes(status, fact, context);
  const { currentSize: _, snapshots: __, snapshotsError: ___, rebuildStatus: ____, ...rest } = status;
  const isLarge = fact.sizeBytes >= context.wantedBytes && (status.lastExpansionError ?? '') !== '';
  return {
    ...rest,
    replicaModeMap: modes,
    replicaTransitionTimeMap: times,
    currentSize: String(fact.sizeBytes),
    isExpanding: fact.sizeBytes < context.wantedBytes,
    snapshots: snapshotsOf(fact),
    snapshotsError: fact.snapshotsError ?? '',
    rebuildStatus: rebuildsOf(status, fact.rebuild, context),
    purgeStatus: purgesOf(status, fact.purge, context),
    ...(isLarge ? { lastExpansionError: '', lastExpansionFailedAt: '' } : {}),
  };
}

function mergeModes(status: EngineStatus, fact: EngineState, { folded, rebuilding, nowMs }: MergeContext) {
  const before = status.replicaModeMap ?? {};
  const failed = new Set(fact.failures.map(({ replica }) => replica));
  const names = [...new Set([...Object.keys(before), ...Object.keys(fact.modes), ...failed])].sort();
  const modes: Record<string, ReplicaMode> = {};
  const times: Record<string, string> = {};
  for (const name of names) {
    const mode = modeNow(before[name], fact.modes[name], {
      failed: failed.has(name),
      folded: folded.has(name),
      rebuilding: rebuilding.has(name),
    });
    if (mode === undefined) continue;
    modes[name] = mode;
    const since = mode === before[name] ? status.replicaTransitionTimeMap?.[name] : undefined;
    times[name] = since ?? apiTime(nowMs);
  }
  return { modes, times };
}

interface Known {
  /** Its host reports the failure. */
  readonly failed: boolean;
  readonly folded: boolean;
  readonly rebuilding: boolean;
}

function modeNow(
  before: ReplicaMode | undefined,
  told: string | undefined,
  { failed, folded, rebuilding }: Known,
): ReplicaMode | undefined {
  if (before === 'ERR') {
    if (!folded) return 'ERR';
    // Its failure is recorded in the Replica: it may come back, but only through a rebuild.
    return told === 'WO' ? 'WO' : told === 'RW' ? 'ERR' : undefined;
  }
  // The host records that a replica has all data before it reports it, so the report is older.
  if (before === 'RW' && told === 'WO') return 'RW';
  if (told === 'RW' || told === 'WO') return told;
  if (failed) return before === undefined && folded ? undefined : 'ERR';
  // The same at the beginning of a rebuild. A replica whose rebuild is no longer requested has failed; for a replica in use only a recorded failure
  // counts.
  return before === 'WO' && !rebuilding ? 'ERR' : before;
}

function snapshotsOf({ snapshots }: EngineState): Record<string, EngineSnapshot> {
  const sorted = [...snapshots].sort((a, b) => (a.name < b.name ? -1 : 1));
  return Object.fromEntries(
    sorted.map(({ name, parent, children, removed, userCreated, created, sizeBytes, labels }) => [
      name,
      {
        name,
        parent: parent ?? '',
        children: Object.fromEntries(children.map((child) => [child, true])),
        removed,
        usercreated: userCreated,
        created,
        size: String(sizeBytes),
        labels: { ...labels },
      },
    ]),
  );
}

function rebuildsOf(
  status: EngineStatus,
  rebuild: RebuildProgress | undefined,
  { addresses, sinceProgressMs }: MergeContext,
): Record<string, EngineRebuildStatus> {
  if (rebuild === undefined) return {};
  const { replica, from, doneBytes, totalBytes, error } = rebuild;
  const key = addresses[replica] ?? replica;
  const before = status.rebuildStatus?.[key];
  const told: EngineRebuildStatus = {
    isRebuilding: error === undefined,
    progress: totalBytes > 0n ? Number((doneBytes * 100n) / totalBytes) : 0,
    error: error?.message ?? '',
    state: error === undefined ? 'in_progress' : 'error',
    fromReplicaAddress: from === undefined ? '' : (addresses[from] ?? from),
  };
  const onlyMoved = before !== undefined && before.state === told.state && before.error === told.error;
  return { [key]: onlyMoved && sinceProgressMs < progressMs ? before : told };
}
