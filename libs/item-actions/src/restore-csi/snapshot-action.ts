import {
  annotations,
  type Unstructured,
  type VolumeSnapshot,
  type VolumeSnapshotContent,
  volumeSnapshotContentType,
} from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { keyOf, keyText } from '@lateen/kube';
import type { RestoreActionContext, RestoreItemAction } from '../contract/restore-item-action.ts';
import { isNamedFor } from '../csi/backup-labels.ts';
import { ensureGroupStub } from './group-stubs.ts';
import { withNeeded } from './must-include.ts';
import { forClaimOf } from './restored-snapshots.ts';
import type { SnapshotClasses } from './snapshot-class-for.ts';
import { restoredSnapshotName } from './snapshot-name.ts';

/** Restores a VolumeSnapshot with a content of its own, which names the snapshot on the storage. */
export function snapshotRestoreAction(classFor: SnapshotClasses): RestoreItemAction {
  return {
    name: 'velero.io/csi-volumesnapshot-restorer',
    appliesTo: { includedResources: ['volumesnapshots.snapshot.storage.k8s.io'] },
    execute: async ({ item, itemFromBackup }, context, signal) => {
      if (context.restore.spec.restorePVs === false) return { updatedItem: item, skipRestore: true };
      const stored = itemFromBackup as unknown as VolumeSnapshot;
      const content = contentOf(stored);
      const name = restoredSnapshotName(context.restore, stored.metadata.name ?? '');
      const driver = await driverOf(stored, content, context, signal);
      const className = stored.spec.volumeSnapshotClassName;
      const chosen = driver === undefined ? {} : await classFor({ driver, className }, context, signal);
      await ensureGroupStub(stored, driver, context, signal);
      const { volumeSnapshotClassName: _, ...spec } = item.spec as VolumeSnapshot['spec'];
      const restored: Unstructured = {
        ...item,
        metadata: { ...item.metadata, name, ...marked(item, stored, context) },
        spec: {
          ...spec,
          source: { volumeSnapshotContentName: name },
          ...(chosen.name === undefined ? {} : { volumeSnapshotClassName: chosen.name }),
        },
      };
      return withNeeded(restored, [content, ...(chosen.needed === undefined ? [] : [chosen.needed])]);
    },
  };
}

/** A VolumeSnapshot that the backup took for a claim is useless when the claim has its volume; one of a user stays. */
function marked({ metadata }: Unstructured, stored: VolumeSnapshot, { backup, restore }: RestoreActionContext) {
  return isNamedFor(stored, backup) ? { annotations: { ...metadata.annotations, ...forClaimOf(restore) } } : {};
}

/** @throws AppError DATA_NOT_IN_BACKUP */
function contentOf(stored: VolumeSnapshot) {
  const { group, resource } = volumeSnapshotContentType;
  const name = stored.status?.boundVolumeSnapshotContentName ?? stored.spec.source.volumeSnapshotContentName ?? '';
  if (name !== '') return { group, resource, name };
  throw new AppError(
    'DATA_NOT_IN_BACKUP',
    `VolumeSnapshot ${keyText(keyOf(stored))} had no content when it was backed up: there is no snapshot to restore`,
    { nextStep: 'Restore from a backup that has it.' },
  );
}

async function driverOf(
  stored: VolumeSnapshot,
  content: ReturnType<typeof contentOf>,
  { archived }: RestoreActionContext,
  signal: AbortSignal,
): Promise<string | undefined> {
  const noted = stored.metadata.annotations?.[annotations.csiDriverName];
  if (noted !== undefined) return noted;
  return ((await archived(content, signal)) as unknown as VolumeSnapshotContent | undefined)?.spec.driver;
}
