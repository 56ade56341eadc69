import { posix } from 'node:path';
import { hostError, type Instance, type ReplicaFolder } from '@lateen/block-engine';
import { keyOf } from '@lateen/kube';
import { watches } from '@lateen/kube-runtime';
import { type LonghornNode, longhornFinalizer, type Orphan, orphanParameters, orphanType } from '@lateen/storage-types';
import { decideOrphan, instanceOf, isThere, type OrphanEffect, type OrphanSeen } from '@lateen/volume-decisions';
import type { Pass, Room } from '../../frame/room.ts';
import type { RoomContext } from '../../frame/room-context.ts';
import { watchedByAll } from '../../frame/wakes.ts';
import { within } from '../../hosts/host-calls.ts';
import type { DiskFolders } from './disk-folders.ts';
import { orphanLookMs } from './orphan-finder-room.ts';

interface WholeOrphanSeen extends OrphanSeen {
  /** The folder as its host lists it, for the deletion. */
  readonly listed?: ReplicaFolder;
  readonly process?: Instance;
}

/** The controller of Orphans: folders and processes without an object. */
export function orphanRoom(context: RoomContext, folders: DiskFolders): Room<Orphan, WholeOrphanSeen, OrphanEffect> {
  const { caches } = context;
  return {
    name: 'orphan',
    type: orphanType,
    informer: caches.orphans,
    ownership: 'Orphan',
    watches: [
      watchedByAll(caches.orphans, caches.settings),
      watches(caches.nodes, ({ object }) => caches.orphans.byIndex('node', object.metadata.name ?? '').map(keyOf)),
    ],
    workers: 2,
    gather: async (orphan, signal) => await gather(context, folders, orphan, signal),
    decide: (seen, nowMs) => {
      const decision = decideOrphan(seen, nowMs);
      const soon = Math.min(decision.again?.afterMs ?? orphanLookMs, orphanLookMs);
      return { ...decision, again: { afterMs: soon, reason: 'it is checked whether it still exists' } };
    },
    apply: async (effect, pass) => {
      await apply(context, effect, pass);
      return undefined;
    },
  };
}

async function gather(
  context: RoomContext,
  folders: DiskFolders,
  orphan: Orphan,
  signal: AbortSignal,
): Promise<WholeOrphanSeen> {
  const { caches, hosts, namespace, settings } = context;
  const { nodeID = '', orphanType: type } = orphan.spec;
  const node = caches.nodes.get({ namespace, name: nodeID });
  const nodeProblem = problemOfNode(node, nodeID, hosts.facts(nodeID).reach === 'answers');
  const volumes = new Set(caches.volumes.list().map(({ metadata }) => metadata.name ?? ''));
  const base = { orphan, volumes, settings: settings(), ...(nodeProblem === undefined ? {} : { nodeProblem }) };
  return type === 'replica'
    ? { ...base, ...(await folderOf(context, folders, node, orphan, signal)) }
    : { ...base, ...processOf(context, orphan) };
}

function problemOfNode(node: LonghornNode | undefined, name: string, answers: boolean): string | undefined {
  if (node === undefined) return `node ${name} is not part of the cluster`;
  const ready = node.status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status !== 'True') return `node ${name} is not ready: ${ready?.message ?? 'nothing is known of it'}`;
  if (!answers) return `the instance manager of node ${name} does not answer`;
  return node.spec.evictionRequested === true ? `node ${name} is being evicted` : undefined;
}

async function folderOf(
  { caches, log }: RoomContext,
  folders: DiskFolders,
  node: LonghornNode | undefined,
  orphan: Orphan,
  signal: AbortSignal,
): Promise<Pick<WholeOrphanSeen, 'diskProblem' | 'folder' | 'owner' | 'listed'>> {
  const { nodeID = '' } = orphan.spec;
  const directory = parameterOf(orphan, 'dataName');
  const path = parameterOf(orphan, 'diskPath');
  const owner = caches.replicas.byIndex('node', nodeID).find(({ spec }) => spec.dataDirectoryName === directory);
  const owned = owner === undefined ? {} : { owner: `replica ${owner.metadata.name ?? ''}` };
  const diskProblem = problemOfDisk(node, orphan);
  if (diskProblem !== undefined) return { ...owned, diskProblem };
  try {
    const fresh = orphan.metadata.deletionTimestamp !== undefined;
    const listed = (await folders.on(nodeID, path, { fresh, signal })).find((each) => each.directory === directory);
    if (listed === undefined) return { ...owned, folder: 'gone' };
    return { ...owned, folder: { volume: listed.volume }, listed };
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ node: nodeID, path, err: error }, 'the folders of a disk cannot be listed');
    return owned;
  }
}

/** Why the disk cannot be used: it must be the same disk, in use, with the same name and path. */
function problemOfDisk(node: LonghornNode | undefined, orphan: Orphan): string | undefined {
  const name = parameterOf(orphan, 'diskName');
  const [spec, status] = [node?.spec.disks?.[name], node?.status?.diskStatus?.[name]];
  if (spec === undefined || status === undefined) return `disk ${name} is not part of the node`;
  if (status.diskUUID !== parameterOf(orphan, 'diskUuid') || spec.path !== parameterOf(orphan, 'diskPath'))
    return `disk ${name} is another one than that of the orphan`;
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status !== 'True') return `disk ${name} is not ready: ${ready?.message ?? ''}`;
  return spec.evictionRequested === true ? `disk ${name} is being evicted` : undefined;
}

function processOf(
  { caches, hosts, namespace }: RoomContext,
  orphan: Orphan,
): Pick<WholeOrphanSeen, 'instance' | 'owner' | 'process'> {
  const { nodeID = '', orphanType: type } = orphan.spec;
  const kind = type === 'engine-instance' ? 'engine' : 'replica';
  const name = parameterOf(orphan, 'instanceName');
  const cache = kind === 'engine' ? caches.engines : caches.replicas;
  const owned = cache.get({ namespace, name }) === undefined ? {} : { owner: `${kind} ${name}` };
  const facts = hosts.facts(nodeID);
  if (facts.reach !== 'answers') return owned;
  const process = instanceOf(facts, kind, name);
  if (process === undefined || !isThere(process)) return { ...owned, instance: 'gone' };
  return { ...owned, instance: { uuid: process.uuid }, process };
}

const parameterOf = (orphan: Orphan, key: keyof typeof orphanParameters): string =>
  orphan.spec.parameters?.[orphanParameters[key]] ?? '';

async function apply(
  { clock, hosts, log }: RoomContext,
  effect: OrphanEffect,
  { object, seen, writes, signal }: Pass<Orphan, WholeOrphanSeen>,
): Promise<void> {
  const { nodeID = '' } = object.spec;
  switch (effect.do) {
    case 'delete-data': {
      const { replica, volumeUid, directory } = seen.listed ?? {};
      if (replica === undefined || volumeUid === undefined || directory === undefined)
        throw hostError(
          'NOT_POSSIBLE_NOW',
          `the folder of orphan ${object.metadata.name} has no record that says what it is`,
        );
      const path = posix.join(parameterOf(object, 'diskPath'), 'replicas', directory);
      log.info({ node: nodeID, path, volume: seen.listed?.volume }, 'the data of an orphan are deleted');
      return await within(clock, 'delete', signal, (call) =>
        hosts.host(nodeID).deleteReplicaData({ replica, volumeUid, directory: path }, call),
      );
    }
    case 'stop-instance': {
      if (seen.process === undefined) return;
      const { kind, name, generation } = seen.process;
      log.info({ node: nodeID, kind, name }, 'the process of an orphan is stopped');
      await within(clock, 'stop', signal, (call) =>
        hosts.host(nodeID, { kind, name }).stop({ kind, name, generation }, call),
      );
      return;
    }
    case 'drop-finalizer':
      return await writes.release(orphanType, object, longhornFinalizer);
    case 'delete-orphan':
      return await writes.delete(orphanType, object);
    default:
      return effect.do satisfies never;
  }
}
