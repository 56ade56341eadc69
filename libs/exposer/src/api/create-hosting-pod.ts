import { annotations, attemptOf, type Pod, podType } from '@lateen/api-types';
import { isAppError } from '@lateen/errors';
import { isNotFound, keyOf, readObject } from '@lateen/kube';
import { waitGone } from '@lateen/kube-runtime';
import type { ExposerPorts } from '../exposer-ports.ts';
import type { ExposeOwner } from '../owner.ts';
import { belongsTo, createOwned } from './owned-object.ts';

/**
 * Creates the hosting pod of the owner's present attempt, or takes the existing one. A pod of an earlier attempt is force deleted
 * first: its node may be lost, and then nothing else removes the pod. A pod of this attempt that is being deleted is force
 * deleted too. Safe to repeat.
 * @throws EXPOSE_NAME_TAKEN; STILL_THERE when the earlier pod does not disappear within `timeoutMs`
 */
export async function createHostingPod(
  ports: ExposerPorts,
  pod: Pod,
  owner: ExposeOwner,
  options: { volumeSize: string | undefined; timeoutMs: number; signal: AbortSignal },
): Promise<Pod> {
  const { attempt = 1 } = owner;
  const marked = withMarks(pod, attempt, options.volumeSize);
  if (attempt > 1) await removeEarlier(ports, pod, owner, options);
  try {
    return await createOwned(ports.kube, podType, marked, owner, options.signal);
  } catch (error) {
    if (!isAppError(error, 'EXPOSE_BEING_DELETED')) throw error;
    // The pod is being deleted, and its kubelet has not confirmed its end.
    await removeEarlier(ports, pod, owner, options);
    return await createOwned(ports.kube, podType, marked, owner, options.signal);
  }
}

/** The fields of the pod that the node-agent reads when it decides about the movement. */
function withMarks(pod: Pod, attempt: number, volumeSize: string | undefined): Pod {
  const marks = {
    ...pod.metadata.annotations,
    ...(attempt === 1 ? {} : { [annotations.attempts]: String(attempt) }),
    ...(volumeSize === undefined ? {} : { [annotations.volumeSize]: volumeSize }),
  };
  return { ...pod, metadata: { ...pod.metadata, annotations: marks } };
}

async function removeEarlier(
  ports: ExposerPorts,
  pod: Pod,
  owner: ExposeOwner,
  options: { timeoutMs: number; signal: AbortSignal },
): Promise<void> {
  const { kube } = ports;
  const { signal } = options;
  const earlier = await readObject(kube, podType, keyOf(pod), signal);
  if (earlier === undefined || !belongsTo(earlier, owner)) return;
  const isPresent = attemptOf(earlier) >= (owner.attempt ?? 1);
  if (isPresent && earlier.metadata.deletionTimestamp === undefined) return;
  const { uid } = earlier.metadata;
  try {
    await kube.delete(podType, keyOf(earlier), {
      gracePeriodSeconds: 0,
      signal,
      ...(uid === undefined ? {} : { preconditions: { uid } }),
    });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  await waitGone(ports, podType, earlier, options);
}
