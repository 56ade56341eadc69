import { tmpdir } from 'node:os';
import { builtInActions, type RestoreItemAction } from '@lateen/item-actions';
import { type Logger, silentLogger, systemClock, systemRandom } from '@lateen/kernel';
import type { Discovery, KubeApi } from '@lateen/kube';
import { prioritiesDefault, type RestoreItemsOutcome, readCatalog, restoreItems } from '@lateen/restore';

export interface RestoreRun {
  kube: KubeApi;
  discovery: Discovery;
  archive: AsyncIterable<Uint8Array>;
  parallel: number;
  /** Makes only a plan. */
  dryRun: boolean;
  /** Actions in addition to the built-in ones. */
  actions?: readonly RestoreItemAction[];
  log?: Logger;
}

/** A restore by the engine alone: catalog and objects, without a controller around it. */
export async function restoreRun(
  { kube, discovery, archive, parallel, dryRun, actions = [], log = silentLogger }: RestoreRun,
  signal: AbortSignal,
): Promise<{ outcome: RestoreItemsOutcome; catalogSeconds: number; seconds: number }> {
  const startedMs = systemClock.monotonicMs();
  const secondsSince = (ms: number) => (systemClock.monotonicMs() - ms) / 1000;
  const catalog = await readCatalog(archive, { scratchDirectory: tmpdir(), log, signal });
  const catalogSeconds = secondsSince(startedMs);
  const metadata = { name: 'measured', namespace: 'velero', uid: 'u' };
  const outcome = await restoreItems(
    {
      kube,
      discovery,
      clock: systemClock,
      random: systemRandom,
      log,
      veleroNamespace: 'velero',
      dryRun,
      podHooks: { podCreated: () => {} },
      actions: [...builtInActions({ csi: false }).restore, ...actions],
      limits: {
        parallel,
        resourceTimeoutMs: 600_000,
        terminatingTimeoutMs: 600_000,
        additionalItemsReadyTimeoutMs: 600_000,
      },
      onProgress: () => {},
    },
    {
      restore: { apiVersion: 'velero.io/v1', kind: 'Restore', metadata, spec: { backupName: 'b' }, status: {} },
      backup: { apiVersion: 'velero.io/v1', kind: 'Backup', metadata: { ...metadata, name: 'b' }, spec: {} },
      catalog,
      volumes: [],
      priorities: prioritiesDefault,
    },
    signal,
  );
  await catalog.close();
  return { outcome, catalogSeconds, seconds: secondsSince(startedMs) };
}
