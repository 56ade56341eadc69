import { keyText } from '@lateen/kube';
import type { Watch } from '@lateen/kube-runtime';
import type { LonghornNode } from '@lateen/storage-types';
import { isSameJson } from '../../frame/guarded-writes.ts';
import type { RoomContext } from '../../frame/room-context.ts';

/** Volumes are placed by the conditions of nodes and disks. How much room is left changes all the time, and is looked at when something is placed. */
export const nodeMatters = (before: LonghornNode, after: LonghornNode): boolean =>
  !isSameJson(before.spec, after.spec) || !isSameJson(standing(before), standing(after));

function standing({ status }: LonghornNode): unknown {
  const holds = (conditions: readonly { readonly type?: string; readonly status?: string }[] | null | undefined) =>
    (conditions ?? []).map(({ type, status: state }) => `${type}=${state}`);
  return {
    conditions: holds(status?.conditions),
    zone: status?.zone,
    autoEvicting: status?.autoEvicting,
    disks: Object.entries(status?.diskStatus ?? {}).map(([name, disk]) => [
      name,
      disk.diskUUID,
      holds(disk.conditions),
    ]),
  };
}

/** Volumes that have something on a node whose host begins or ceases to answer, or that is down: what is lost there is decided anew. */
export function watchedNodes({ hosts, caches, namespace }: RoomContext): Watch {
  return {
    informer: caches.volumes,
    feed: (queue) => {
      hosts.onChange(({ node, instances }) => {
        if (instances !== 'all') return;
        const names = new Set(
          [...caches.engines.byIndex('node', node), ...caches.replicas.byIndex('node', node)].map(
            ({ spec }) => spec.volumeName ?? '',
          ),
        );
        for (const volume of caches.volumes.byIndex('node', node)) names.add(volume.metadata.name ?? '');
        for (const name of names) queue.add(keyText({ namespace, name }));
      });
    },
  };
}
