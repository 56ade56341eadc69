import { namespaceType } from '@lateen/api-types';
import type { BackupStore } from '@lateen/backup-store';
import { backupFilters } from '@lateen/item-filters';
import { listAll } from '@lateen/kube';
import { ProgressWriter } from '@lateen/kube-runtime';
import { interruption } from '@lateen/run';
import { backupKind, onLatest, writeBackup } from '../api/write-backup.ts';
import { backUpItems } from '../engine/back-up-items.ts';
import type { ItemProgress, ItemsOutcome } from '../engine/contract.ts';
import type { RunSnapshots } from '../native-snapshots/run-snapshots.ts';
import { OpenHookRecord } from '../open-hooks/open-hook-record.ts';
import type { Run } from './run.ts';

/** The interval between two writes of the progress. */
const progressIntervalMs = 1_000;

/** Reads and stores all objects of the backup, and writes the progress. */
export async function backUpObjects(run: Run, files: BackupStore, native: RunSnapshots): Promise<ItemsOutcome> {
  const { ports, backup, plan, log, signal } = run;
  const { clock, random, kube, discovery, exec, actions, namespace } = ports;
  const types = await discovery.resourceTypes({ fresh: true, signal });
  const { items: namespaces } = await listAll(kube, namespaceType, { signal });
  const filters = backupFilters({ spec: backup.spec, policies: plan.policies, types, namespaces });
  const progress = new ProgressWriter<ItemProgress>({
    intervalMs: progressIntervalMs,
    clock,
    write: (figures) => writeProgress(run, figures),
  });
  try {
    return await backUpItems(
      {
        kube: ports.collectingKube ?? kube,
        clock,
        random,
        log: log.log,
        veleroNamespace: namespace,
        discovery,
        exec,
        store: { ...files, writeArchive: measured(run, files) },
        actions,
        limits: ports.engineLimits,
        podTurns: ports.podTurns,
        openHooks: new OpenHookRecord(ports, backup),
        nativeSnapshots: native.taking,
        onProgress: (figures) => progress.report(figures),
      },
      {
        backup,
        filters,
        types,
        allVersions: ports.settings.allVersions,
        podVolumes: ports.settings.podVolumes,
        ...policiesOf(plan),
      },
      signal,
    );
  } finally {
    await progress.stop();
    await native.close();
  }
}

/** Reports the size of the archive when it is stored. */
const measured =
  ({ ports: { observer }, backup }: Run, files: BackupStore): BackupStore['writeArchive'] =>
  async (name, pieces, options) => {
    let bytes = 0;
    const counted = async function* () {
      for await (const piece of pieces) {
        bytes += piece.length;
        yield piece;
      }
    };
    await files.writeArchive(name, counted(), options);
    observer?.archived(backup, bytes);
  };

const policiesOf = ({ policies }: Run['plan']) => (policies === undefined ? {} : { policies });

async function writeProgress({ ports, backup, signal }: Run, progress: ItemProgress): Promise<void> {
  const act = async (latest: Parameters<Parameters<typeof onLatest>[2]>[0]) =>
    interruption(backupKind, backup, latest) === undefined
      ? await writeBackup(ports, latest, { status: { progress: { ...progress } } }, signal)
      : latest;
  await onLatest(ports, backup, act, signal);
}
