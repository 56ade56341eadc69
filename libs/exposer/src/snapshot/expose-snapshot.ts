import { type VolumeSnapshot, volumeSnapshotContentType } from '@lateen/api-types';
import { readObject } from '@lateen/kube';
import { belongsTo } from '../api/owned-object.ts';
import { readNodeAgent } from '../api/read-node-agent.ts';
import type { ExposeOptions, ExposerPorts } from '../exposer-ports.ts';
import type { ExposeOwner } from '../owner.ts';
import { requireLinux, volumeNodeOs } from '../specs/node-os.ts';
import { readTakenOverFrom, type TakenOverFrom, takenOverFrom } from '../specs/taken-over-from.ts';
import { hostSnapshot } from './host-snapshot.ts';
import type { SnapshotExposeParam } from './snapshot-expose-param.ts';
import { readSourceVolume, readySourceSnapshot } from './snapshot-source.ts';
import { readyBackupSnapshot, retireSource, takeOverSnapshot } from './take-over-snapshot.ts';

/**
 * Makes a hosting pod on a copy of a workload's VolumeSnapshot (data-movement.md section 4). Every step takes what an earlier
 * attempt made, so it may be repeated after a crash at any point. Resolves when the pod is created and the source objects are
 * gone, not when the pod runs.
 * @throws EXPOSE_… naming what is missing and the next step; the signal's reason. What was made stays: call cleanUp.
 */
export async function exposeSnapshot(
  ports: ExposerPorts,
  owner: ExposeOwner,
  param: SnapshotExposeParam,
  { signal }: ExposeOptions,
): Promise<void> {
  const { kube } = ports;
  const [volume, inherited, taken] = await Promise.all([
    readSourceVolume(kube, { ...param, namespace: param.sourceNamespace, claim: param.sourceClaim }, signal),
    readNodeAgent(kube, owner.namespace, signal),
    takenOver(ports, owner, param, signal),
  ]);
  requireLinux(
    volumeNodeOs(volume.claim, volume.storageClass),
    `PersistentVolumeClaim ${param.sourceNamespace}/${param.sourceClaim}`,
  );
  const sourceKey = { namespace: param.sourceNamespace, name: param.volumeSnapshot };
  await Promise.all([
    hostSnapshot(ports, owner, { param, volume, inherited, ...taken }, signal),
    retireSource(
      ports,
      owner,
      { snapshot: sourceKey, from: taken.from },
      { timeoutMs: param.operationTimeoutMs, signal },
    ),
  ]);
}

interface TakenOver {
  snapshot: VolumeSnapshot;
  from: TakenOverFrom;
  sourceVolumeMode: string | undefined;
}

/** Our snapshot, ready: made by an earlier attempt, which may have deleted the source already, or taken over now. */
async function takenOver(
  ports: ExposerPorts,
  owner: ExposeOwner,
  param: SnapshotExposeParam,
  signal: AbortSignal,
): Promise<TakenOver> {
  const earlier = await readObject(ports.kube, volumeSnapshotContentType, { name: owner.name }, signal);
  const from = readTakenOverFrom(earlier);
  const bound = earlier?.spec.volumeSnapshotRef.uid !== undefined;
  if (earlier !== undefined && belongsTo(earlier, owner) && bound && from !== undefined) {
    return {
      snapshot: await readyBackupSnapshot(ports, owner, signal),
      from,
      sourceVolumeMode: earlier.spec.sourceVolumeMode,
    };
  }
  const source = await readySourceSnapshot(
    ports,
    { namespace: param.sourceNamespace, name: param.volumeSnapshot },
    signal,
  );
  const snapshot = await takeOverSnapshot(ports, owner, source, signal);
  return {
    snapshot,
    from: takenOverFrom(source),
    sourceVolumeMode: source.content.spec.sourceVolumeMode,
  };
}
