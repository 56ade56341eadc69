import type { KubeObject } from '@lateen/api-types';
import type { InstanceKind } from '@lateen/block-engine';
import { keyOf, keyText, type ObjectKey } from '@lateen/kube';
import type { Informer, Watch } from '@lateen/kube-runtime';
import type { HostChange } from '../hosts/host-link.ts';
import type { RoomContext } from './room-context.ts';

/**
 * Queues objects with an index `node` whose instances of these kinds have changed on their host; an instance has the name of its object. Queues all
 * objects of a node when its host starts or stops answering.
 */
export function watchedHosts<T extends KubeObject>(
  { hosts, namespace }: Pick<RoomContext, 'hosts' | 'namespace'>,
  objects: Informer<T>,
  kinds: readonly InstanceKind[],
): Watch {
  const keysOf = ({ node, instances }: HostChange): ObjectKey[] => {
    if (instances === 'all') return objects.byIndex('node', node).map(keyOf);
    return instances.filter(({ kind }) => kinds.includes(kind)).map(({ name }) => ({ namespace, name }));
  };
  return {
    informer: objects,
    feed: (queue) => {
      hosts.onChange((change) => {
        for (const key of keysOf(change)) queue.add(keyText(key));
      });
    },
  };
}

/** Queues every object when something changes that all decisions depend on: a setting, a node. */
export function watchedByAll<T extends KubeObject, O extends KubeObject>(
  objects: Informer<T>,
  cause: Informer<O>,
  matters: (before: O, after: O) => boolean = () => true,
): Watch {
  return {
    informer: cause,
    feed: (queue) => {
      cause.onChange((change) => {
        if (change.type === 'updated' && !matters(change.previous, change.object)) return;
        for (const each of objects.list()) queue.add(keyText(keyOf(each)));
      });
    },
  };
}
