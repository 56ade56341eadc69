import { type ConfigMap, configMapType } from '@lateen/api-types';
import type { BackupItemAction, OperationProgress } from '@lateen/item-actions';
import type { FakeCluster } from '@lateen/testing';

/**
 * An action that starts an operation for every ConfigMap. The test sets the progress of each operation. An operation that ends changes its
 * ConfigMap, which has to be read again.
 */
export function movingAction(cluster: () => FakeCluster, { watched = true }: { watched?: boolean } = {}) {
  const states = new Map<string, OperationProgress>();
  const listeners = new Set<(id: string, progress: OperationProgress) => void>();
  const canceled: string[] = [];
  const asked: string[] = [];
  const action: BackupItemAction = {
    name: 'example.dev/move',
    appliesTo: { includedResources: ['configmaps'] },
    execute: async (item) => {
      const { namespace = '', name = '' } = item.metadata;
      const operationId = `move-${name}`;
      states.set(operationId, states.get(operationId) ?? { completed: false });
      return { item, operationId, postOperationItems: [{ group: '', resource: 'configmaps', namespace, name }] };
    },
    progress: async (operationId) => {
      asked.push(operationId);
      return states.get(operationId) ?? { completed: true, error: 'nobody knows it' };
    },
    cancel: async (operationId) => {
      canceled.push(operationId);
    },
    ...(watched
      ? {
          watchOperations: (_, onChange, signal) => {
            for (const [id, progress] of states) onChange(id, progress);
            listeners.add(onChange);
            return new Promise<void>((resolve) => {
              signal.addEventListener('abort', () => {
                listeners.delete(onChange);
                resolve();
              });
            });
          },
        }
      : {}),
  };
  const tell = (name: string, progress: OperationProgress) => {
    states.set(`move-${name}`, progress);
    for (const listener of listeners) listener(`move-${name}`, progress);
  };
  return {
    action,
    canceled,
    asked,
    /** Watches that are open. */
    watches: () => listeners.size,
    tell,
    /** The operation ends, and its ConfigMap changes. */
    end: (namespace: string, name: string, error?: string) => {
      cluster().change<ConfigMap>(configMapType, { namespace, name }, (configMap) => {
        configMap.data = { ...configMap.data, moved: 'yes' };
      });
      tell(name, { completed: true, ...(error === undefined ? {} : { error }) });
    },
  };
}
