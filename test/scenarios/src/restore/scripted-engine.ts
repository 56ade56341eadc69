import type { RestoreItemOutcome, RestoreOperation, RestoreVolumeInfo } from '@lateen/backup-store';
import { orAborted } from '@lateen/kernel';
import type { CatalogItem, RestoreEngine, RestoreEnginePorts, RestoreEngineRequest } from '@lateen/restore';

export interface EngineScript {
  /** The act for an object; default: it is created. */
  act?(item: CatalogItem): Partial<RestoreItemOutcome>;
  operations?(request: RestoreEngineRequest): RestoreOperation[];
  volumes?: RestoreVolumeInfo[];
  /** Runs once per run, before it ends. */
  during?(ports: RestoreEnginePorts, request: RestoreEngineRequest): void | Promise<void>;
}

/** An engine that writes no objects and ends when the test says so, for tests of the controller around it. */
export function scriptedEngine(script: EngineScript = {}) {
  let gate: PromiseWithResolvers<void> | undefined;
  const runs: { restore: string; dryRun: boolean; items: string[] }[] = [];
  const under = new Set<string>();
  const engine: RestoreEngine = {
    restoreItems: async (ports, request, signal) => {
      const { restore, catalog } = request;
      const name = restore.metadata.name ?? '';
      const items = catalog.items.map(({ groupResource, namespace, name: of }) =>
        [groupResource, ...(namespace === undefined ? [] : [namespace]), of].join('/'),
      );
      runs.push({ restore: name, dryRun: ports.dryRun, items });
      under.add(name);
      try {
        ports.onProgress({ totalItems: items.length, itemsRestored: 0 });
        if (gate !== undefined) await orAborted(gate.promise, signal);
        await script.during?.(ports, request);
        signal.throwIfAborted();
      } finally {
        under.delete(name);
      }
      return {
        totalItems: items.length,
        itemsRestored: items.length,
        operations: script.operations?.(request) ?? [],
        volumes: script.volumes ?? [],
        items: catalog.items.map((item) => ({
          apiVersion: item.apiVersion,
          kind: item.kind,
          ...(item.namespace === undefined ? {} : { namespace: item.namespace }),
          name: item.name,
          act: 'create' as const,
          ...script.act?.(item),
        })),
      };
    },
  };
  return {
    engine,
    runs,
    /** Names of the restores that are running, sorted. */
    underWay: (): string[] => [...under].sort(),
    hold: () => {
      gate ??= Promise.withResolvers();
    },
    letGo: () => {
      gate?.resolve();
      gate = undefined;
    },
  };
}
