import { tmpdir } from 'node:os';
import type { Backup, BackupSpec, KubeObject, RestoreSpec } from '@lateen/api-types';
import type { BackupVolumeInfo, RestoreItemOutcome } from '@lateen/backup-store';
import { builtInActions, type RestoreItemAction } from '@lateen/item-actions';
import type { KubeApi } from '@lateen/kube';
import {
  type Catalog,
  prioritiesDefault,
  type RestoreEngineLimits,
  type RestoreEnginePorts,
  type RestoreItemProgress,
  type RestoreItemsOutcome,
  type RunningRestore,
  readCatalog,
  restoreItems,
} from '@lateen/restore';
import {
  FakeClock,
  type FakeClusterOptions,
  fakeCluster,
  letWorkRun,
  recordingLog,
  seededRandom,
} from '@lateen/testing';
import { discoveryOf } from '../backup/discovery-of.ts';
import { engineWorld, runningBackup, troubleLines } from '../backup/engine-world.ts';

/** The files of a backup. */
export interface StoredBackup {
  backup: Backup;
  archive: readonly Uint8Array[];
  volumes: readonly BackupVolumeInfo[];
}

/** A backup of a cluster with these objects, made by the collection engine. */
export async function backedUp(objects: readonly KubeObject[], spec: BackupSpec = {}): Promise<StoredBackup> {
  const { backup, block } = builtInActions({ csi: false });
  const world = engineWorld({ objects, actions: { backup, block } });
  const { outcome, archive } = await world.run(spec);
  return { backup: runningBackup(spec), archive, volumes: outcome.volumes };
}

export interface RestoreWorldOptions extends Omit<FakeClusterOptions, 'clock' | 'objects'> {
  /** Objects in the cluster before the restore. */
  objects?: readonly KubeObject[];
  actions?: readonly RestoreItemAction[];
  limits?: Partial<RestoreEngineLimits>;
  priorities?: readonly string[];
  seed?: number;
  /** Intercepts the calls between the engine and the cluster. */
  kube?: (cluster: KubeApi) => KubeApi;
}

export interface RestoreRun {
  outcome: RestoreItemsOutcome;
  items: readonly RestoreItemOutcome[];
}

const limitsDefault: RestoreEngineLimits = {
  parallel: 16,
  resourceTimeoutMs: 600_000,
  terminatingTimeoutMs: 600_000,
  additionalItemsReadyTimeoutMs: 600_000,
};

/** The restore engine alone: a strict cluster in memory, a clock that advances when nothing else runs, no controller. */
export function restoreWorld(options: RestoreWorldOptions = {}) {
  const { objects = [], actions, limits, priorities, seed = 1, kube, ...rest } = options;
  const clock = new FakeClock();
  const cluster = fakeCluster({ clock, objects, strict: true, random: seededRandom(seed), ...rest });
  const log = recordingLog();
  const progress: RestoreItemProgress[] = [];
  let reading = 0;

  const ports = (dryRun: boolean): RestoreEnginePorts => ({
    kube: kube?.(cluster) ?? cluster,
    clock,
    random: seededRandom(seed + 1),
    log,
    veleroNamespace: 'velero',
    dryRun,
    discovery: discoveryOf(cluster),
    podHooks: { podCreated: () => {} },
    actions: actions ?? builtInActions({ csi: true }).restore,
    limits: { ...limitsDefault, ...limits },
    onProgress: (each) => progress.push(each),
  });

  /** Reads run on other threads; the clock stops meanwhile. */
  const counted = (catalog: Catalog): Catalog => ({
    items: catalog.items,
    find: (item) => catalog.find(item),
    versionsOf: (groupResource) => catalog.versionsOf(groupResource),
    close: () => catalog.close(),
    read: async (...args) => {
      reading += 1;
      try {
        return await catalog.read(...args);
      } finally {
        reading -= 1;
      }
    },
  });

  async function timePasses<T>(work: Promise<T>): Promise<T> {
    let over = false;
    const end = () => {
      over = true;
    };
    work.then(end, end);
    while (!over) {
      await letWorkRun();
      if (!over && reading === 0 && clock.nextDueInMs !== undefined) await clock.advance(clock.nextDueInMs);
    }
    return await work;
  }

  async function run(
    stored: StoredBackup,
    spec: RestoreSpec = {},
    signal = new AbortController().signal,
  ): Promise<RestoreRun> {
    const pieces = async function* () {
      yield* stored.archive;
    };
    const catalog = counted(await readCatalog(pieces(), { log, scratchDirectory: tmpdir() }));
    const { backup, volumes } = stored;
    const request = {
      restore: runningRestore({ backupName: backup.metadata.name ?? '', ...spec }),
      backup,
      catalog,
      volumes,
      priorities: priorities ?? prioritiesDefault,
    };
    try {
      const outcome = await timePasses(restoreItems(ports(spec.dryRun === true), request, signal));
      return { outcome, items: [...outcome.items] };
    } finally {
      await catalog.close();
    }
  }

  const lines = (level: 'warn' | 'error'): string[] => troubleLines(log, level);

  return { clock, cluster, log, progress, run, lines, timePasses };
}

export const runningRestore = (spec: RestoreSpec, name = 'again'): RunningRestore => ({
  apiVersion: 'velero.io/v1',
  kind: 'Restore',
  metadata: { name, namespace: 'velero', uid: 'restore-uid' },
  spec,
  status: { phase: 'InProgress' },
});
