import type { AttachCall, Call } from '@lateen/block-engine';
import { engineName, engineType, int64Of, type Volume, volumeType } from '@lateen/storage-types';
import type { EngineDeps } from './engine-deps.ts';
import { objectNameOf } from './object-name.ts';
import { dropTicket, putTicket, ticketSatisfied } from './tickets.ts';
import { readVolume, sizeOf, volumeNamed } from './volume-named.ts';
import { waiting } from './waiting.ts';

/** Where the device of an attached volume is on its node. */
export const devicePathOf = (volume: string): string => `/dev/longhorn/${objectNameOf(volume)}`;

/**
 * A request of its own for each `by`, which is its id. When the time is over it stays: the same call continues with it, and `detach` takes
 * it back.
 */
export async function attachReplicated(
  deps: EngineDeps,
  name: string,
  node: string,
  o: AttachCall & { readOnly?: boolean },
): Promise<{ devicePath: string }> {
  const volume = await volumeNamed(deps, name, o);
  const object = volume.metadata.name ?? '';
  await putTicket(deps, object, { id: o.by, node, type: 'csi-attacher', disableFrontend: false }, o);
  await ticketSatisfied(deps, object, { id: o.by, node }, o);
  // Read again: a client that has made it larger meanwhile expects that it grows before its device exists.
  await deviceGrown(deps, await volumeNamed(deps, name, o), o);
  return { devicePath: devicePathOf(name) };
}

/** A volume that was made larger while it was detached grows when it is attached: users of the device rely on its size. */
export async function deviceGrown(deps: EngineDeps, volume: Volume, o: Call): Promise<void> {
  const name = volume.metadata.name ?? '';
  const wanted = sizeOf(volume);
  await waiting(deps, o, {
    type: engineType,
    name: engineName(name),
    what: `the device of volume ${name} does not have ${wanted} bytes`,
    limitMs: deps.limits.growMs,
    until: (engine, because) => {
      const has = int64Of(engine?.status?.currentSize) ?? 0n;
      const { lastExpansionError = '' } = engine?.status ?? {};
      because(lastExpansionError || `it has ${has}`);
      return has >= wanted ? true : undefined;
    },
    nextStep: `Check the free space on the disks of its replicas: kubectl get replicas.longhorn.io -n ${deps.namespace} -l longhornvolume=${name}`,
  });
}

export async function detachReplicated(deps: EngineDeps, name: string, node: string, o: AttachCall): Promise<void> {
  o.signal.throwIfAborted();
  const volume = objectNameOf(name);
  const left = await dropTicket(deps, volume, { id: o.by, node }, o);
  if (left === undefined || Object.values(left).some(({ nodeID }) => nodeID === node)) return;
  if ((await readVolume(deps, name, o)) === undefined) return;
  await waiting(deps, o, {
    type: volumeType,
    name: volume,
    what: `volume ${name} is still attached to ${node}`,
    limitMs: deps.limits.detachMs,
    until: (seen, because) => {
      because(`it is ${seen?.status?.state ?? 'new'}`);
      return isAttachedTo(seen, node) ? undefined : true;
    },
    code: () => 'VOLUME_BUSY',
    nextStep: `A process on ${node} may have the device open, or the node does not answer.`,
  });
}

/** As far as the manager has seen: it says detached when the processes on the node have ended, or can write no more. A start that is wanted may still come. */
const isAttachedTo = (volume: Volume | undefined, node: string): boolean => {
  return volume?.status?.currentNodeID === node || volume?.spec.nodeID === node;
};
