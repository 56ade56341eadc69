import {
  annotations,
  type Container,
  type Pod,
  type PodVolumeRestore,
  persistentVolumeClaimType,
  type Unstructured,
} from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { isRestoreWait } from '@lateen/hooks';
import { keyOf, keyText, readObject } from '@lateen/kube';
import type { RestoreActionContext, RestoredItem, RestoreItemAction } from '../../contract/restore-item-action.ts';
import { withoutAnnotations } from '../../item/with-metadata.ts';
import { perRestore } from '../../per-run.ts';
import { actionConfig } from '../action-config.ts';
import { podVolumeOperations } from './pod-volume-operations.ts';
import { type PodVolumeOrder, podVolumeOperationId } from './pod-volume-restore-of.ts';
import { type EnsurePodVolumeRestore, ensurePodVolumeRestores } from './pod-volume-restores.ts';
import { tellBadTimeout } from './pod-volume-timeout.ts';
import { restoreWaitContainer, restoreWaitVolume } from './restore-wait-container.ts';
import { type StoredPodVolume, type StoredPodVolumes, storedPodVolumes } from './stored-pod-volumes.ts';
import { VolumeTargets } from './volume-targets.ts';

const name = 'velero.io/pod-volume-restore';

/** Set when a component restores volumes of pods through their file system, and writes the marks into them. */
export interface PodVolumeRestores {
  /** The image of restore-wait when its ConfigMap names none; read once per restore. */
  image(context: RestoreActionContext, signal: AbortSignal): Promise<string>;
  /** Longest duration of a whole PodVolumeRestore, a Go duration; by default 4h. */
  timeout?: string | undefined;
}

/**
 * Holds a pod back until its volumes have their data, and creates a PodVolumeRestore for each volume once the pod exists. When no
 * component restores such volumes, the wait would never end: each such volume is an error of the restore, and the pod starts with
 * it empty.
 */
export function podVolumeRestoreAction(restores?: PodVolumeRestores): RestoreItemAction {
  const parts: Parts = {
    volumesOf: storedPodVolumes(),
    ensure: ensurePodVolumeRestores(),
    targets: new VolumeTargets(),
  };
  const config = actionConfig(name);
  const image = perRestore(async (context, signal) => (await restores?.image(context, signal)) ?? '');
  const tellTimeout = perRestore(async ({ restore, log }) => tellBadTimeout(restore, log));
  return {
    name,
    appliesTo: { includedResources: ['pods'] },
    execute: async ({ item, itemFromBackup }, context, signal) => {
      const stored = itemFromBackup as unknown as Pod;
      const { volumes, missing } = await parts.volumesOf(stored, context, signal);
      for (const { volume, why } of missing)
        context.log.warn(
          { volume, reason: why },
          'the backup has no data of a pod volume; it is restored without data',
        );
      const pod = withoutWait(item as unknown as Pod);
      const updatedItem = pod as unknown as Unstructured;
      if (volumes.length === 0) return { updatedItem };
      if (restores === undefined) {
        for (const { volume } of volumes)
          context.log.error({ volume }, 'Error restoring pod volume: file system restore is switched off');
        return { updatedItem };
      }
      const awaited: string[] = [];
      for (const volume of volumes)
        if ((await parts.targets.of(stored, volume, context, signal)) !== 'none') awaited.push(volume.volume);
      if (awaited.length === 0) return { updatedItem };
      await tellTimeout(context, signal);
      const settings = (await config(context, signal)) ?? {};
      const waiter = restoreWaitContainer(pod, {
        volumes: awaited,
        restoreUid: context.restore.metadata.uid ?? '',
        image: settings.image || (await image(context, signal)),
        config: settings,
        log: context.log,
      });
      return { updatedItem: withWait(pod, waiter) as unknown as Unstructured };
    },
    itemCreated: async (restored, context, signal) =>
      restores === undefined ? [] : await restoreVolumes(restored, context, parts, signal),
    ...podVolumeOperations(restores?.timeout),
  };
}

/**
 * Removes what an earlier restore left: a container that waits for the mark of that restore, which is never written again. Velero
 * removes only the container, so volume and annotations may exist without it.
 */
function withoutWait(pod: Pod): Pod {
  const { initContainers = [], volumes = [], ...spec } = pod.spec;
  const rest = initContainers.filter((container) => !isRestoreWait(container));
  const isUsed = [...rest, ...spec.containers].some(({ volumeMounts = [] }) =>
    volumeMounts.some(({ name: mounted }) => mounted === restoreWaitVolume.name),
  );
  const others = volumes.filter(
    ({ name: volume, downwardAPI }) => isUsed || volume !== restoreWaitVolume.name || !downwardAPI,
  );
  return {
    ...withoutAnnotations(pod as unknown as Unstructured, [annotations.startWithoutData, annotations.volumesRestored]),
    spec: {
      ...spec,
      ...(others.length === 0 ? {} : { volumes: others }),
      ...(rest.length === 0 ? {} : { initContainers: rest }),
    },
  } as unknown as Pod;
}

function withWait(pod: Pod, waiter: Container): Pod {
  const { initContainers = [], volumes = [] } = pod.spec;
  const spec = { ...pod.spec, volumes: [...volumes, restoreWaitVolume], initContainers: [waiter, ...initContainers] };
  return { ...pod, spec };
}

interface Parts {
  volumesOf: StoredPodVolumes;
  targets: VolumeTargets;
  ensure: EnsurePodVolumeRestore;
}

/** A failure is logged as an error of its volume. @returns the operations of the others */
async function restoreVolumes(
  restored: RestoredItem,
  context: RestoreActionContext,
  { volumesOf, ensure, targets }: Parts,
  signal: AbortSignal,
): Promise<string[]> {
  const pod = restored.item as unknown as Pod;
  const stored = restored.itemFromBackup as unknown as Pod;
  const { volumes } = await volumesOf(stored, context, signal);
  const operations: string[] = [];
  for (const volume of volumes) {
    const target = await targets.of(stored, volume, context, signal);
    if (target === 'none') continue;
    try {
      const order = await orderFor(pod, stored, volume, context, signal);
      const made = await ensure({ ...order, restoreType: target === 'new' ? undefined : target }, context, signal);
      // The claim is restored through another volume, of this pod or of another one: this pod only waits.
      if (made.spec.pod.uid !== pod.metadata.uid || made.spec.volume !== volume.volume) continue;
      note(made, volume, context);
      operations.push(podVolumeOperationId(context.restore, pod, volume.volume));
    } catch (error) {
      signal.throwIfAborted();
      context.log.error({ volume: volume.volume, err: error }, 'Error restoring pod volume');
    }
  }
  return operations;
}

/** @throws AppError POD_DOES_NOT_WAIT: data that is written while the pod runs would conflict with the pod's own writes */
async function orderFor(
  pod: Pod,
  { metadata: { namespace: sourceNamespace = '' } }: Pod,
  stored: StoredPodVolume,
  { kube }: RestoreActionContext,
  signal: AbortSignal,
): Promise<PodVolumeOrder> {
  const { initContainers = [] } = pod.spec;
  const mounts = initContainers.filter(isRestoreWait).flatMap(({ volumeMounts = [] }) => volumeMounts);
  if (!mounts.some(({ name: mounted }) => mounted === stored.volume))
    throw new AppError(
      'POD_DOES_NOT_WAIT',
      `pod ${keyText(keyOf(pod))} was created without the init container that waits for its volume ${stored.volume}`,
      { nextStep: 'Look for a resource modifier, a plugin or a webhook that removes init containers.' },
    );
  const claim = claimOf(pod, stored);
  const present = claim && (await readObject(kube, persistentVolumeClaimType, claim, signal));
  return { pod, stored, sourceNamespace, claimUid: present?.metadata.uid };
}

const claimOf = ({ metadata: { namespace = '' } }: Pick<Pod, 'metadata'>, { claim }: StoredPodVolume) =>
  claim === undefined ? undefined : { namespace, name: claim };

function note(made: PodVolumeRestore, stored: StoredPodVolume, { noteVolume }: RestoreActionContext): void {
  const { namespace = '', name: pod = '' } = made.spec.pod;
  const { snapshotID, uploaderType, sizeBytes, volume } = stored;
  noteVolume(claimOf({ metadata: { namespace } }, stored), {
    method: 'PodVolumeRestore',
    dataMoved: false,
    snapshotHandle: snapshotID,
    uploaderType,
    ...(sizeBytes === undefined ? {} : { sizeBytes }),
    podVolume: { namespace, pod, volume },
    object: made,
  });
}
