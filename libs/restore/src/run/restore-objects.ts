import type { BackupStore, BackupVolumeInfo } from '@lateen/backup-store';
import { parseDurationMs } from '@lateen/kernel';
import { ProgressWriter } from '@lateen/kube-runtime';
import { OpenSnapshotters, volumeFromSnapshot } from '@lateen/native-snapshots';
import { interruption } from '@lateen/run';
import { onLatest, restoreKind, writeRestore } from '../api/write-restore.ts';
import { readCatalog } from '../catalog/read-catalog.ts';
import type { RestoreEngineLimits, RestoreItemProgress, RestoreItemsOutcome } from '../engine/contract.ts';
import type { RestoreSettings } from '../restore-settings.ts';
import { readLegacyVolumes } from '../volumes/legacy-volumes.ts';
import type { NativeVolumes } from '../volumes/native-restore.ts';
import { podVolumeBackupsOf } from '../volumes/pod-volume-backups.ts';
import type { RestoreRun } from './restore-run.ts';

/** The interval between two writes of the progress. */
const progressIntervalMs = 1_000;

/** Restores all objects of the backup and writes the progress; a dry run reports what would happen to them. */
export async function restoreObjects(run: RestoreRun, files: BackupStore): Promise<RestoreItemsOutcome> {
  const { ports, restore, plan, log, signal } = run;
  const { clock, random, discovery, hooks, actions, namespace, scratchDirectory, engine } = ports;
  const backupName = plan.backup.metadata.name ?? '';
  for (const warning of plan.warnings) log.log.warn({ reason: warning }, 'a setting of the server has no effect');
  const progress = new ProgressWriter<RestoreItemProgress>({
    intervalMs: progressIntervalMs,
    clock,
    write: (figures) => writeProgress(run, figures),
  });
  const volumes = await volumesOf(files, backupName, signal);
  const open = new OpenSnapshotters(ports);
  const native = nativeVolumes(run, open);
  const catalog = await readCatalog(files.readArchive(backupName, { signal }), {
    scratchDirectory,
    log: log.log,
    signal,
  });
  if (catalog.items.length === 0) log.log.warn({}, 'zero items to be restored');
  try {
    return await engine.restoreItems(
      {
        kube: ports.restoringKube ?? ports.kube,
        clock,
        random,
        log: log.log,
        veleroNamespace: namespace,
        dryRun: restore.spec.dryRun === true,
        discovery,
        podHooks: hooks.of(restore),
        nativeVolumes: native,
        actions,
        limits: engineLimits(ports.settings),
        onProgress: (figures) => progress.report(figures),
      },
      {
        restore,
        backup: plan.backup,
        catalog,
        ...volumes,
        podVolumeBackups: (each) => podVolumeBackupsOf(ports, files, backupName, each),
        priorities: ports.settings.priorities,
        ...rulesOf(plan),
      },
      signal,
    );
  } finally {
    await progress.stop();
    await catalog.close();
    await open.close();
  }
}

async function volumesOf(files: BackupStore, backup: string, signal: AbortSignal) {
  const volumes = await files.getVolumeInfo(backup, { signal });
  if (volumes === undefined) {
    const legacyVolumes = await readLegacyVolumes(files, backup, signal);
    return { volumes: [], legacyVolumes, nativeSnapshots: legacyVolumes.nativeSnapshots };
  }
  return volumes.some(isNative)
    ? { volumes, nativeSnapshots: await files.getVolumeSnapshots(backup, { signal }) }
    : { volumes };
}

const isNative = ({ backupMethod }: BackupVolumeInfo): boolean => backupMethod === 'NativeSnapshot';

const nativeVolumes = ({ ports: { clock }, log: { log } }: RestoreRun, open: OpenSnapshotters): NativeVolumes => ({
  check: async ({ spec }, signal) => void (await open.named(spec.location, signal)),
  make: (snapshot, volume, signal) => volumeFromSnapshot({ clock, log, open }, snapshot, volume, signal),
});

const rulesOf = ({ policies, modifiers, owners, versions }: RestoreRun['plan']) => ({
  ...(policies === undefined ? {} : { policies }),
  ...(modifiers === undefined ? {} : { modifiers }),
  ...(owners === undefined ? {} : { owners }),
  versions,
});

export function engineLimits(settings: RestoreSettings): RestoreEngineLimits {
  const resourceTimeoutMs = msOf(settings.resourceTimeout);
  const { additionalItemsReadyTimeout: ready } = settings;
  return {
    parallel: settings.parallel,
    resourceTimeoutMs,
    terminatingTimeoutMs: msOf(settings.terminatingResourceTimeout),
    additionalItemsReadyTimeoutMs: ready === undefined ? resourceTimeoutMs : msOf(ready),
  };
}

const msOf = (duration: string): number => parseDurationMs(duration) ?? 600_000;

async function writeProgress({ ports, restore, signal }: RestoreRun, progress: RestoreItemProgress): Promise<void> {
  const act = async (latest: Parameters<Parameters<typeof onLatest>[2]>[0]) =>
    interruption(restoreKind, restore, latest) === undefined
      ? await writeRestore(ports, latest, { status: { progress: { ...progress } } }, signal)
      : latest;
  await onLatest(ports, restore, act, signal);
}
