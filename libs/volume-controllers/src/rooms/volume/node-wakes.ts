import { keyText } from '@lateen/kube';
import type { Watch } from '@lateen/kube-runtime';
import type { LonghornNode } from '@lateen/storage-types';
import { isSameJson } from '../../frame/guarded-writes.ts';
import type { RoomContext } from '../../frame/room-context.ts';

/** Whether a change of a node matters to volumes: its conditions and disks do. Free space changes all the time, and is read when a replica is placed. */
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

/** Queues volumes with instances on a node whose host starts or stops answering, or that is down, because lost instances need a decision. */
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
