import { type Backup, backupType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { isNotFound, type KubeApi, keyOf } from '@lateen/kube';
import { backupHasEnded } from './backup-noun.ts';

/**
 * Asks for the backup to end and to be taken back, which works in every phase before its last. Safe to repeat. Resolves with the Backup as
 * it then is; undefined when it is gone or has ended before it could be asked.
 * @throws AppError CANCEL_NOT_KNOWN when the API drops the request: then the CRD is that of Velero
 */
export async function requestBackupCancel(
  kube: KubeApi,
  backup: Backup,
  signal: AbortSignal,
): Promise<Backup | undefined> {
  try {
    const body = { spec: { cancel: true } };
    const asked = await kube.patch(backupType, keyOf(backup), { type: 'merge', body }, { signal });
    if (backupHasEnded(asked)) return undefined;
    if (asked.spec.cancel !== true)
      throw new AppError(
        'CANCEL_NOT_KNOWN',
        `backup "${backup.metadata.name}" cannot be canceled: the Backup kind of this cluster has no spec.cancel`,
        { nextStep: 'It is that of Velero; "lateen install" brings ours.' },
      );
    return asked;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
