import type { BackupSpec, Namespace } from '@lateen/api-types';
import {
  backUpItems,
  type EngineActions,
  type EngineStore,
  engineLimitsDefault,
  type ItemsOutcome,
  PodTurns,
} from '@lateen/backup';
import { backupFilters } from '@lateen/item-filters';
import { silentLogger, systemClock, systemRandom } from '@lateen/kernel';
import { type DiscoveredType, type KubeApi, kubeError } from '@lateen/kube';

export interface MeasuredRun {
  outcome: ItemsOutcome;
  seconds: number;
  archiveBytes: number;
}

/** One run of the collection engine whose files are discarded. */
export async function runEngine(
  kube: KubeApi,
  types: readonly DiscoveredType[],
  namespaces: readonly Namespace[],
  spec: BackupSpec = {},
  actions: EngineActions = { backup: [], block: [] },
): Promise<MeasuredRun> {
  let archiveBytes = 0;
  const drop = async (pieces: AsyncIterable<Uint8Array>) => {
    for await (const piece of pieces) archiveBytes += piece.length;
  };
  const store: EngineStore = {
    writeArchive: (_, pieces) => drop(pieces),
    writeItemOutcomes: async (_, pieces) => {
      for await (const _piece of pieces);
    },
    putResourceList: async (_, entries) => {
      for await (const [, names] of entries) for (const _name of names);
    },
  };
  const startedMs = systemClock.monotonicMs();
  const outcome = await backUpItems(
    {
      kube,
      clock: systemClock,
      random: systemRandom,
      log: silentLogger,
      veleroNamespace: 'velero',
      discovery: {
        resourceTypes: async () => types,
        findResourceType: async () => {
          throw kubeError('KUBE_NOT_FOUND', 'no such resource');
        },
      },
      exec: { exec: async () => ({ exitCode: 0 }) },
      store,
      actions,
      limits: engineLimitsDefault,
      podTurns: new PodTurns(),
      openHooks: { open: async () => {}, close: async () => {} },
      onProgress: () => {},
    },
    {
      backup: {
        apiVersion: 'velero.io/v1',
        kind: 'Backup',
        metadata: { name: 'measured', namespace: 'velero', uid: 'u' },
        spec,
        status: {},
      },
      filters: backupFilters({ spec, types, namespaces }),
      types,
    },
    new AbortController().signal,
  );
  return { outcome, seconds: (systemClock.monotonicMs() - startedMs) / 1000, archiveBytes };
}
