import {
  type DataUpload,
  finalizers,
  labels,
  persistentVolumeClaimType,
  persistentVolumeType,
  podType,
  volumeSnapshotContentType,
  volumeSnapshotType,
} from '@lateen/api-types';
import type { FakeCluster } from '@lateen/testing';
import type { StorageActor } from '../world/storage-actor.ts';
import { attemptsIn, isOfPod, type Movement, phaseIn } from './invariants/observed.ts';
import type { Ledger } from './ledger.ts';
import type { SimulationPlan } from './plan.ts';

/** The state of the world at the end. */
export interface AtRest {
  plan: SimulationPlan;
  cluster: FakeCluster;
  storage: StorageActor;
  ledger: Ledger;
  movements: readonly Movement[];
  /** On the storage from the start. */
  sourceVolumes: readonly string[];
  attemptsMax: number;
}

/** Objects and data that no workload or movement needs any more. */
export function leaked({ cluster, storage, movements, sourceVolumes, plan }: AtRest): string[] {
  const restored = plan.movements
    .filter(({ kind }) => kind === 'DataDownload')
    .map(({ name }) => cluster.find(persistentVolumeClaimType, { namespace: 'app', name })?.spec.volumeName);
  const kept = [...sourceVolumes, ...restored];
  const named = (kind: string, names: readonly (string | undefined)[]) => names.map((name) => `${kind} ${name}`);
  const pods = cluster.look(podType, 'velero').filter((pod) => pod.metadata.labels?.[labels.exposerPodGroup]);
  const names = (objects: readonly { metadata: { name?: string } }[]) => objects.map(({ metadata }) => metadata.name);
  return [
    ...named('pod', names(pods)),
    ...named('claim', names(cluster.look(persistentVolumeClaimType, 'velero'))),
    ...named('snapshot', names(cluster.look(volumeSnapshotType).filter((each) => isNoSource(each, movements, plan)))),
    ...named(
      'content',
      names(cluster.look(volumeSnapshotContentType).filter((each) => isNoSource(each, movements, plan))),
    ),
    ...named(
      'volume',
      names(cluster.look(persistentVolumeType).filter(({ spec }) => !kept.includes(spec.csi?.volumeHandle))),
    ),
    ...named(
      'data of volume',
      [...storage.volumes].filter((each) => !kept.includes(each)),
    ),
    ...named(
      'data of snapshot',
      [...storage.snapshots].filter((each) => !isUntouched(each.replace('handle-', ''), movements, plan)),
    ),
    ...movements.filter((each) => each.metadata.finalizers?.some((name) => ours.includes(name))).map(finalizerOf),
    ...movements
      .filter((each) => each.metadata.labels?.[labels.exposeOnGoing] !== undefined)
      .map((each) => `label of ${each.metadata.name}`),
  ];
}

const ours: readonly string[] = [finalizers.dataUploadDownload, finalizers.podVolume];
const finalizerOf = (movement: Movement): string => `finalizer of ${movement.metadata.name}`;

/** A DataUpload that was deleted before any agent set its finalizer leaves the snapshot to its creator. */
const isUntouched = (name: string, movements: readonly Movement[], plan: SimulationPlan): boolean => {
  const uploads = plan.movements.some((each) => each.name === name && each.kind === 'DataUpload');
  return uploads && !movements.some((each) => each.metadata.name === name);
};

const isNoSource = (
  { metadata }: { metadata: { name?: string } },
  movements: readonly Movement[],
  plan: SimulationPlan,
): boolean => !isUntouched((metadata.name ?? '').replace('content-', ''), movements, plan);

/** Checks the end of every movement: that it is allowed, and that its status is true. `last` includes deleted movements. */
export function wrongEnds(world: AtRest, last: readonly Movement[]): string[] {
  return last.flatMap((movement) => {
    const { name = '', uid = '' } = movement.metadata;
    const phase = phaseIn(movement);
    const allowed = allowedEnds(world, movement);
    if (!allowed.includes(phase))
      return [`${name} ended ${phase} (${movement.status?.message ?? ''}), allowed: ${allowed.join(', ')}`];
    const { ledger } = world;
    if (phase !== 'Completed') return movement.kind === 'DataDownload' ? wrongTarget(world, name, phase) : [];
    if (ledger.hollow.has(uid)) return [`${name} is completed, and its pod was gone before all was read`];
    if (movement.kind === 'DataUpload' || movement.kind === 'PodVolumeBackup') {
      const snapshotId = (movement as DataUpload).status?.snapshotID ?? '';
      return ledger.saved.get(uid)?.has(snapshotId)
        ? []
        : [`${name} names snapshot "${snapshotId}", which nobody has saved`];
    }
    if (movement.kind === 'PodVolumeRestore')
      return ledger.restored.has(uid) ? [] : [`${name} is completed, and its volume holds not all data`];
    const target = world.cluster.find(persistentVolumeClaimType, { namespace: 'app', name });
    const volume = target?.spec.volumeName ?? '';
    if (target?.status?.phase !== 'Bound') return [`the target claim of ${name} is not bound`];
    return ledger.filled.has(volume) ? [] : [`the target of ${name} got ${volume}, which holds not all data`];
  });
}

/** The volume of a claim cannot be changed any more once it is set: a failed restore must not have set it. */
function wrongTarget({ cluster }: AtRest, name: string, phase: string): string[] {
  const volume = cluster.find(persistentVolumeClaimType, { namespace: 'app', name })?.spec.volumeName;
  return volume === undefined ? [] : [`${name} ended ${phase}, and its target claim names ${volume}`];
}

/** A movement ends in Completed, unless it was cancelled, its data could not be moved, or it was interrupted too often. */
function allowedEnds({ ledger, attemptsMax, plan, movements }: AtRest, movement: Movement): string[] {
  const uid = movement.metadata.uid ?? '';
  const isThere = movements.some((each) => each.metadata.uid === uid);
  const stopped = movement.spec.cancel === true || movement.metadata.deletionTimestamp !== undefined;
  const usedUp = (ledger.losses.get(uid) ?? 0) >= attemptsMax || attemptsIn(movement) > attemptsMax;
  const lostForGood = plan.chaos.some((each) => each.what === 'lose-node' && each.downMs === undefined);
  const stranded = lostForGood && plan.waitForFirstConsumer;
  const dataFault = ledger.dataFaults.has(uid);
  const withoutPod = isOfPod(movement) && isWithoutPod(ledger, plan, movement);
  // Deleted before any agent had set its finalizer.
  if (!isThere && phaseIn(movement) === 'New') return ['New'];
  return [
    ...(dataFault && !ledger.saved.has(uid) && !ledger.restored.has(uid) && ledger.filled.size === 0
      ? []
      : ['Completed']),
    ...(dataFault || usedUp || stranded || withoutPod ? ['Failed'] : []),
    ...(stopped ? ['Canceled'] : []),
  ];
}

/** Its pod is gone, or the only node that can reach the volume had no agent. */
function isWithoutPod({ clientsGone, stranded }: Ledger, plan: SimulationPlan, { metadata }: Movement): boolean {
  const planned = plan.movements.find(({ name }) => name === metadata.name);
  return clientsGone.has(planned?.name ?? '') || stranded.has(planned?.node ?? '');
}
