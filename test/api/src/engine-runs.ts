import { tmpdir } from 'node:os';
import type { BackupSpec, RestoreSpec } from '@lateen/api-types';
import { namespaceType } from '@lateen/api-types';
import { backUpItems, type EngineStore, engineLimitsDefault, PodTurns } from '@lateen/backup';
import type { BackupVolumeInfo, RestoreItemOutcome } from '@lateen/backup-store';
import { builtInActions } from '@lateen/item-actions';
import { backupFilters } from '@lateen/item-filters';
import { listAll } from '@lateen/kube';
import type { KubeClient } from '@lateen/kube-client';
import { prioritiesDefault, readCatalog, restoreItems } from '@lateen/restore';
import { recordingLog } from '@lateen/testing';
import { base } from './with-api-server.ts';

const backup = {
  apiVersion: 'velero.io/v1',
  kind: 'Backup',
  metadata: { name: 'b', namespace: 'velero', uid: 'u' },
  spec: {},
  status: {},
} as const;

export interface StoredBackup {
  archive: readonly Uint8Array[];
  volumes: readonly BackupVolumeInfo[];
}

/** Runs the engine of backups alone. */
export async function backUp(kube: KubeClient, spec: BackupSpec) {
  const types = await kube.resourceTypes({ fresh: true });
  const { items: namespaces } = await listAll(kube, namespaceType);
  const archive: Uint8Array[] = [];
  const log = recordingLog();
  const store: EngineStore = {
    writeArchive: async (_, given) => {
      for await (const piece of given) archive.push(piece);
    },
    putResourceList: async () => {},
    writeItemOutcomes: async () => {},
  };
  const outcome = await backUpItems(
    {
      ...base,
      log,
      kube,
      discovery: kube,
      exec: kube,
      veleroNamespace: 'velero',
      store,
      actions: builtInActions({ csi: false }),
      limits: { ...engineLimitsDefault, pageItems: 7 },
      podTurns: new PodTurns(),
      openHooks: { open: async () => {}, close: async () => {} },
      onProgress: () => {},
    },
    { backup: { ...backup, spec }, filters: backupFilters({ spec, types, namespaces }), types },
    new AbortController().signal,
  );
  const troubles = log.lines.filter(({ level }) => level === 'warn' || level === 'error');
  return { outcome, archive, volumes: outcome.volumes, types, troubles };
}

/** Runs the engine of restores alone. @returns outcomes by `Kind name`, and warnings and errors as text */
export async function restore(kube: KubeClient, stored: StoredBackup, spec: RestoreSpec, parallel = 16) {
  const log = recordingLog();
  const pieces = async function* () {
    yield* stored.archive;
  };
  const catalog = await readCatalog(pieces(), { log, scratchDirectory: tmpdir() });
  try {
    const { items } = await restoreItems(
      {
        ...base,
        log,
        kube,
        discovery: kube,
        podHooks: { podCreated: () => {} },
        veleroNamespace: 'velero',
        dryRun: spec.dryRun === true,
        actions: builtInActions({ csi: false }).restore,
        limits: {
          parallel,
          resourceTimeoutMs: 60_000,
          terminatingTimeoutMs: 60_000,
          additionalItemsReadyTimeoutMs: 60_000,
        },
        onProgress: () => {},
      },
      {
        restore: {
          apiVersion: 'velero.io/v1',
          kind: 'Restore',
          metadata: { name: 'again', namespace: 'velero', uid: 'r' },
          spec: { backupName: 'b', ...spec },
          status: {},
        },
        backup,
        catalog,
        volumes: stored.volumes,
        priorities: prioritiesDefault,
      },
      new AbortController().signal,
    );
    const outcomes = [...items];
    const acts = Object.fromEntries(outcomes.map((each) => [nameOf(each), each.act]).sort());
    const lines = log.lines.filter(({ level }) => level === 'warn' || level === 'error');
    const troubles = lines.map(
      ({ level, message, fields }) => `${level} ${fields.name}: ${message} ${fields.err ?? ''}`,
    );
    return { outcomes, acts, troubles };
  } finally {
    await catalog.close();
  }
}

const nameOf = ({ kind, name, sourceName = name }: RestoreItemOutcome): string => `${kind} ${sourceName}`;
