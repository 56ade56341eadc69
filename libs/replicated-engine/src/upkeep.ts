import { blockVolumeError, type Call, type EngineOf, type InstanceHost } from '@lateen/block-engine';
import { listAll, readObject } from '@lateen/kube';
import {
  engineName,
  engineType,
  generationOf,
  longhornNodeType,
  type Volume,
  volumeStateOf,
} from '@lateen/storage-types';
import { checkRevert, ticketNode } from '@lateen/volume-decisions';
import { detachReplicated } from './attach-volume.ts';
import type { EngineDeps } from './engine-deps.ts';
import { objectNameOf } from './object-name.ts';
import { type SnapshotName, snapshotNamed } from './snapshot-named.ts';
import { putTicket, type Tickets, ticketSatisfied } from './tickets.ts';
import { volumeNamed } from './volume-named.ts';

/**
 * Attaches the volume without a device on some node, lets its engine put the snapshot's data back, and gives it back. A call that did not
 * end leaves its request to the next one.
 */
export async function revertReplicated(deps: EngineDeps, name: SnapshotName, o: Call): Promise<void> {
  const volume = await volumeNamed(deps, name.volume, o);
  await snapshotNamed(deps, name, o);
  const object = volume.metadata.name ?? '';
  const id = `revert-${objectNameOf(name.snapshot)}`;
  const requireAlone = (tickets: Tickets): void => {
    const others = Object.entries(tickets).filter(([key]) => key !== id);
    if (others.length === 0) return;
    throw blockVolumeError('NOT_POSSIBLE_NOW', checkRevert(name.volume, false) ?? '', {
      nextStep: 'Detach the volume first.',
    });
  };
  const node = await nodeFor(deps, volume, o);
  const ticket = { id, node, type: 'longhorn-api', disableFrontend: true } as const;
  await putTicket(deps, object, ticket, o, requireAlone);
  await ticketSatisfied(deps, object, { id, node }, o);
  const { host, engine } = await runningEngine(deps, volume, 'revert', o);
  await host.engineRevert({ ...engine, snapshot: objectNameOf(name.snapshot) }, o);
  await detachReplicated(deps, name.volume, node, { ...o, by: id });
}

async function nodeFor(deps: EngineDeps, { spec, status }: Volume, o: Call): Promise<string> {
  const { items } = await listAll(deps.kube, longhornNodeType, { namespace: deps.namespace, ...o });
  const isReady = (node: (typeof items)[number]) =>
    node.status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;
  const names = items.filter(isReady).map(({ metadata }) => metadata.name ?? '');
  const wanted = { currentNodeID: status?.currentNodeID ?? '', nodeID: spec.nodeID ?? '' };
  const node = ticketNode(wanted, names);
  if (node !== undefined) return node;
  throw blockVolumeError('NOT_POSSIBLE_NOW', 'no node is ready', {
    nextStep: 'See kubectl get nodes.longhorn.io.',
  });
}

/** The volume's file system is trimmed where it is mounted. */
export async function trimReplicated(deps: EngineDeps, name: string, o: Call): Promise<{ freedBytes: bigint }> {
  const volume = await volumeNamed(deps, name, o);
  if (volumeStateOf(volume) !== 'attached' || volume.status?.frontendDisabled === true) {
    throw blockVolumeError('NOT_POSSIBLE_NOW', `volume ${name} is not attached, so no file system of it is mounted`, {
      nextStep: 'Trim it while a pod has it mounted.',
    });
  }
  const { host, engine } = await runningEngine(deps, volume, 'trim', o);
  return host.engineTrim(engine, o);
}

async function runningEngine(
  { kube, namespace, hostOf }: EngineDeps,
  volume: Volume,
  what: string,
  o: Call,
): Promise<{ host: InstanceHost; engine: EngineOf }> {
  if (hostOf === undefined) {
    throw blockVolumeError('NOT_SUPPORTED', `this driver cannot ${what} a volume: it has no connection to the nodes`, {
      nextStep: 'Use the REST API of the volume manager.',
    });
  }
  const name = engineName(volume.metadata.name ?? '');
  const object = await readObject(kube, engineType, { namespace, name }, o.signal);
  const host = hostOf(object?.spec.nodeID ?? '');
  const generation = object === undefined ? undefined : generationOf(object);
  if (host !== undefined && generation !== undefined) return { host, engine: { engine: name, generation } };
  throw blockVolumeError(
    'NOT_POSSIBLE_NOW',
    `the engine of volume ${volume.metadata.name} cannot be asked to ${what}`,
    {
      nextStep: 'Repeat the call when its node answers.',
    },
  );
}
