import type { RestoreActionContext } from '@lateen/item-actions';
import type { Logger } from '@lateen/kernel';
import type { ItemRun } from '../../engine/item-run.ts';

/** The context of a run that an action receives. */
export function actionContextOf(run: ItemRun, log: Logger): RestoreActionContext {
  const { kube, clock, random, veleroNamespace, dryRun, log: runLog } = run.ports;
  const { restore, backup, catalog } = run.request;
  return {
    restore,
    backup,
    kube,
    clock,
    random,
    log,
    runLog,
    veleroNamespace,
    dryRun,
    mappedNamespace: (namespace) => run.namespaces.mapped(namespace),
    archived: async (named, signal) => {
      const item = catalog.find(named);
      return item === undefined ? undefined : await catalog.read(item, signal);
    },
    podVolumeBackups: async (signal) => (await run.request.podVolumeBackups?.(signal)) ?? [],
    noteVolume: (claim, facts) => run.volumes.note(claim, facts),
  };
}
