import { isAlreadyExists, listAll, readObject } from '@lateen/kube';
import {
  type BackupTarget,
  type BackupTargetSpec,
  backupTargetType,
  longhornGroup,
  longhornVersion,
  volumeType,
} from '@lateen/storage-types';
import { checkBackupTargetUpdate } from '@lateen/volume-decisions';
import { changeObject, type StoragePlace, unlessRefused } from './change-object.ts';
import { backupTargetNoun } from './storage-nouns.ts';

/** Creates or changes a backup target; fields that are not named stay. @returns whether it is new @throws AppError STORAGE_REFUSED */
export async function setBackupTarget(place: StoragePlace, name: string, given: BackupTargetSpec): Promise<boolean> {
  const { kube, namespace, signal } = place;
  await check(place, name, given);
  if ((await readObject(kube, backupTargetType, { namespace, name }, signal)) === undefined) {
    const apiVersion = `${longhornGroup}/${longhornVersion}`;
    const spec = { backupTargetURL: '', credentialSecret: '', pollInterval: '5m0s', ...given };
    try {
      const object: BackupTarget = { apiVersion, kind: backupTargetType.kind, metadata: { name, namespace }, spec };
      await kube.create(backupTargetType, object, { signal });
      return true;
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }
  await changeObject<BackupTarget>(place, backupTargetNoun, name, (target) => {
    const spec = { ...target.spec, ...given };
    return JSON.stringify(spec) === JSON.stringify(target.spec) ? undefined : { ...target, spec };
  });
  return false;
}

async function check({ kube, namespace, signal }: StoragePlace, name: string, given: BackupTargetSpec): Promise<void> {
  const [targets, volumes] = await Promise.all([
    listAll(kube, backupTargetType, { namespace, signal }),
    listAll(kube, volumeType, { namespace, signal }),
  ]);
  const urls = Object.fromEntries(
    targets.items.map(({ metadata, spec }) => [metadata.name ?? '', spec.backupTargetURL ?? '']),
  );
  const standby = volumes.items.filter(
    ({ spec }) => spec.Standby === true && (spec.backupTargetName || 'default') === name,
  );
  unlessRefused(
    checkBackupTargetUpdate({
      name,
      urlBefore: urls[name] ?? '',
      urlAfter: given.backupTargetURL ?? urls[name] ?? '',
      urls,
      standbyVolumes: standby.map(({ metadata }) => metadata.name ?? ''),
    }),
  );
}
