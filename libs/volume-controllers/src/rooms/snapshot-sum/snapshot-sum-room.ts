import { keyOf, keyText } from '@lateen/kube';
import { type LonghornNode, type LonghornNodeStatus, longhornNodeType } from '@lateen/storage-types';
import { type Decision, decideSums, type SumsSeen, type SumTask } from '@lateen/volume-decisions';
import type { Room } from '../../frame/room.ts';
import type { RoomContext } from '../../frame/room-context.ts';
import { volumeOf } from '../../frame/volume-of.ts';
import { LongCalls } from '../../hosts/long-calls.ts';
import { verdictFor } from '../../owner/ownership.ts';
import { sumSnapshot } from './sum-snapshot.ts';

/** Interval of the checks for due checksums on a node; a completed checksum starts the next check at once. */
export const sumLookMs = 60_000;

interface SumsOfNode extends SumsSeen {
  readonly node: LonghornNode;
}

/**
 * Computes checksums of snapshots and compares them between replicas, as `snapshot-data-integrity` and related settings require: checks the engines
 * of each node. A volume whose last attempt failed is skipped until its next attempt, and occupies no slot meanwhile.
 */
export function snapshotSumRoom(context: RoomContext): Room<LonghornNode, SumsOfNode, SumTask> {
  const { caches, namespace, settings, wall } = context;
  const calls = new LongCalls('snapshot-sum', context);
  const running = new Map<string, { readonly volume: string; readonly node: string }>();
  const keyFor = (node: LonghornNode, volume: string) => `${keyText(keyOf(node))}/${volume}`;
  return {
    name: 'snapshot-sum',
    type: longhornNodeType,
    informer: caches.nodes,
    ownership: (node) => verdictFor(context, node, node.metadata.name ?? ''),
    watches: [
      {
        informer: caches.nodes,
        feed: (queue) => calls.feed({ add: (key) => queue.add(key.slice(0, key.lastIndexOf('/'))) }),
      },
    ],
    workers: 1,
    gather: (node) => ({
      node,
      volumes: caches.engines.byIndex('node', node.metadata.name ?? '').flatMap((engine) => {
        const { volumeName = '' } = engine.spec;
        const volume = volumeOf(caches, namespace, volumeName);
        if (volume === undefined || calls.has(keyFor(node, volumeName))) return [];
        return [{ volume, engine, snapshots: caches.snapshots.byIndex('volume', volumeName) }];
      }),
      running: [...running.values()],
      settings: settings(),
    }),
    now: () => wall.now(),
    decide: (seen, nowMs): Decision<LonghornNodeStatus, SumTask> => ({
      status: seen.node.status ?? {},
      effects: decideSums(seen, nowMs),
      events: [],
      again: { afterMs: sumLookMs, reason: 'sums of snapshots are looked at again' },
    }),
    apply: async (task, { object, signal }) => {
      const key = keyFor(object, task.volume);
      const summed = async function* (ended: AbortSignal) {
        running.set(key, task);
        try {
          yield* sumSnapshot(context, task, ended);
        } finally {
          running.delete(key);
        }
      };
      calls.begin(key, task.snapshot, summed, signal);
      return undefined;
    },
    forget: (key) => {
      for (const each of [...running.keys()]) if (each.startsWith(`${keyText(key)}/`)) calls.forget(each);
    },
  };
}
