import type { ContentSource, SnapshotRecord, VolumeRecord } from '../store/records.ts';
import type { VolumeDeps } from '../volume-deps.ts';
import { volumeError } from '../volume-error.ts';
import { nodeTag, type RecordKind, readId } from '../volume-id.ts';

type Lookup = Pick<VolumeDeps, 'store' | 'nodeId'>;

/** A volume that may be used. @throws AppError `NOT_FOUND`, `INVALID_ARGUMENT`, `FAILED_PRECONDITION` (other node). */
export function findVolume(deps: Lookup, id: string): VolumeRecord {
  const record = deps.store.volume(id);
  if (record?.state !== 'ready') throw notHere(deps, 'volume', id);
  return record;
}

/** A snapshot that may be used. @throws AppError `NOT_FOUND`, `INVALID_ARGUMENT`, `FAILED_PRECONDITION` (other node). */
export function findSnapshot(deps: Lookup, id: string): SnapshotRecord {
  const record = deps.store.snapshot(id);
  if (record?.state !== 'ready') throw notHere(deps, 'snapshot', id);
  return record;
}

/**
 * What a new volume is made from.
 * @throws AppError `RESOURCE_EXHAUSTED` when it lives on another node: the provisioner then lets the scheduler choose
 * another node instead of trying here for ever.
 */
export function findSource(deps: Lookup, source: ContentSource): VolumeRecord | SnapshotRecord {
  if (livesElsewhere(deps, source.id)) {
    throw volumeError('RESOURCE_EXHAUSTED', `${source.kind} ${source.id} is on another node than ${deps.nodeId}`, {
      nextStep: 'Schedule the pod to the node that holds it.',
    });
  }
  return source.kind === 'volume' ? findVolume(deps, source.id) : findSnapshot(deps, source.id);
}

/**
 * A volume whose traces on this node are to be removed, in whatever state. Undefined: it lives on another node, so there are none here.
 * @throws AppError `NOT_FOUND`
 */
export function findTraces(deps: Lookup, id: string): VolumeRecord | undefined {
  const record = deps.store.volume(id);
  if (record === undefined && !livesElsewhere(deps, id)) throw notHere(deps, 'volume', id);
  return record;
}

/** True for an ID that another node issued. */
export function livesElsewhere(deps: Lookup, id: string): boolean {
  const finding = readId(id, 'the id');
  return finding.kind !== 'unknown' && finding.tag !== nodeTag(deps.nodeId);
}

function notHere(deps: Lookup, kind: RecordKind, id: string): Error {
  if (livesElsewhere(deps, id)) {
    return volumeError('FAILED_PRECONDITION', `${kind} ${id} is on another node than ${deps.nodeId}`);
  }
  return volumeError('NOT_FOUND', `there is no ${kind} ${JSON.stringify(id)} on node ${deps.nodeId}`);
}
