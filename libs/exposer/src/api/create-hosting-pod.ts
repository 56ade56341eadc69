import { annotations, type Pod, podType } from '@lateen/api-types';
import { isNotFound, keyOf, readObject } from '@lateen/kube';
import type { ExposerPorts } from '../exposer-ports.ts';
import type { ExposeOwner } from '../owner.ts';
import { belongsTo, createOwned } from './owned-object.ts';
import { waitGone } from './wait-gone.ts';

/**
 * Creates the hosting pod of the owner's present attempt, or takes the one that is there. A pod of an earlier attempt is
 * taken away first, by force: its node may be lost, and then nobody else would. Safe to repeat.
 * @throws EXPOSE_NAME_TAKEN; EXPOSE_STILL_THERE when the earlier pod does not go within `timeoutMs`
 */
export async function createHostingPod(
  ports: ExposerPorts,
  pod: Pod,
  owner: ExposeOwner,
  options: { timeoutMs: number; signal: AbortSignal },
): Promise<Pod> {
  const { attempt = 1 } = owner;
  if (attempt === 1) return await createOwned(ports.kube, podType, pod, owner, options.signal);
  await removeEarlier(ports, pod, owner, options);
  const marks = { ...pod.metadata.annotations, [annotations.attempts]: String(attempt) };
  const stamped = { ...pod, metadata: { ...pod.metadata, annotations: marks } };
  return await createOwned(ports.kube, podType, stamped, owner, options.signal);
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
  if (Number(earlier.metadata.annotations?.[annotations.attempts] ?? 1) >= (owner.attempt ?? 1)) return;
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
