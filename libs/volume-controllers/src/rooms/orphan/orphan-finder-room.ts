import {
  type LonghornNode,
  type LonghornNodeStatus,
  longhornNodeType,
  type Orphan,
  orphanType,
} from '@lateen/storage-types';
import type { Decision } from '@lateen/volume-decisions';
import type { Room } from '../../frame/room.ts';
import type { RoomContext } from '../../frame/room-context.ts';
import { verdictFor } from '../../owner/ownership.ts';
import type { DiskFolders } from './disk-folders.ts';
import { type DiskListed, findOrphans, type OrphansSeen } from './find-orphans.ts';

/** Interval of the checks of a node's folders and processes. */
export const orphanLookMs = 60_000;

/** A folder or process is reported after it has existed for so long, which is longer than a list of folders is cached. */
export const orphanSettledMs = 45_000;

interface FinderSeen {
  readonly node: LonghornNode;
  /** Undefined while its host does not answer. */
  readonly found: OrphansSeen | undefined;
  /** Since when each folder or process of the last check has existed, in epoch ms, by name. */
  readonly since: ReadonlyMap<string, number>;
}
type FinderEffect =
  | { readonly do: 'remember'; readonly since: ReadonlyMap<string, number> }
  | { readonly do: 'create-orphan'; readonly orphan: Orphan };

/**
 * Looks for folders and processes of each node without an object. One that stays for a while becomes an Orphan: a Replica is written before its
 * folder is made, and a cache that is slightly late must not turn the folder into an orphan.
 */
export function orphanFinderRoom(
  context: RoomContext,
  folders: DiskFolders,
): Room<LonghornNode, FinderSeen, FinderEffect> {
  const { caches } = context;
  const remembered = new Map<string, ReadonlyMap<string, number>>();
  return {
    name: 'orphan-finder',
    type: longhornNodeType,
    informer: caches.nodes,
    ownership: (node) => verdictFor(context, node, node.metadata.name ?? ''),
    watches: [],
    workers: 2,
    gather: async (node, signal) => ({
      node,
      found: await look(context, folders, node, signal),
      since: remembered.get(node.metadata.name ?? '') ?? new Map(),
    }),
    decide,
    apply: async (effect, { object, writes }) => {
      const name = object.metadata.name ?? '';
      if (effect.do === 'remember') remembered.set(name, effect.since);
      else {
        context.log.info({ node: name, orphan: effect.orphan.spec }, 'a folder or process without an object was found');
        await writes.create(orphanType, effect.orphan);
      }
      return undefined;
    },
    forget: ({ name }) => void remembered.delete(name),
  };
}

/** Nothing is written to the node. */
function decide({ node, found, since }: FinderSeen, nowMs: number): Decision<LonghornNodeStatus, FinderEffect> {
  const orphans = found === undefined ? [] : findOrphans(found);
  const sinceMs = ({ metadata: { name = '' } }: Orphan): number => since.get(name) ?? nowMs;
  const settled = orphans.filter((orphan) => nowMs - sinceMs(orphan) >= orphanSettledMs);
  return {
    status: node.status ?? {},
    effects: [
      { do: 'remember', since: new Map(orphans.map((each) => [each.metadata.name ?? '', sinceMs(each)])) },
      ...settled.map((orphan): FinderEffect => ({ do: 'create-orphan', orphan })),
    ],
    events: [],
    again: { afterMs: orphanLookMs, reason: 'folders and processes are looked at again' },
  };
}

async function look(
  { caches, hosts, log }: RoomContext,
  folders: DiskFolders,
  node: LonghornNode,
  signal: AbortSignal,
): Promise<OrphansSeen | undefined> {
  const name = node.metadata.name ?? '';
  const { reach, instances, instanceManager } = hosts.facts(name);
  if (reach !== 'answers') return undefined;
  const disks: DiskListed[] = [];
  for (const [disk, status] of Object.entries(node.status?.diskStatus ?? {})) {
    const { diskUUID: uuid = '', diskPath: path = '', conditions } = status;
    const isReady = conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
    if (!isReady || uuid === '' || node.spec.disks?.[disk]?.path !== path) continue;
    try {
      disks.push({ name: disk, uuid, path, folders: await folders.on(name, path, { fresh: false, signal }) });
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ node: name, disk, err: error }, 'the folders of a disk cannot be listed');
    }
  }
  const namesOf = (objects: readonly { readonly metadata: { readonly name?: string } }[]): ReadonlySet<string> =>
    new Set(objects.map(({ metadata }) => metadata.name ?? ''));
  return {
    node,
    disks,
    instances,
    instanceManager,
    replicas: caches.replicas.byIndex('node', name),
    engineNames: namesOf(caches.engines.list()),
    replicaNames: namesOf(caches.replicas.list()),
    known: namesOf(caches.orphans.byIndex('node', name)),
  };
}
