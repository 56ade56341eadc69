import { type Secret, secretType } from '@lateen/api-types';
import type { BackupTargetAddress, Call } from '@lateen/block-engine';
import type { BlockCatalog } from '@lateen/block-store';
import { AppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import { type KubeApi, readObject } from '@lateen/kube';
import type { BackupTarget } from '@lateen/storage-types';

/** Access to backup targets, in buckets and on file servers; implemented by the app. */
export interface BackupTargets {
  /**
   * Nothing is contacted before the first call of the catalog. @throws BACKUP_TARGET_URL, BACKUP_TARGET_UNSUPPORTED; an error for unusable
   * credentials
   */
  open(address: BackupTargetAddress, o: Call): Promise<BlockCatalog & AsyncDisposable>;
}

/**
 * Address and credentials of a target. The Secret is read each time, so a new key is used at once; it is not stored.
 * @throws AppError `BACKUP_TARGET_SECRET` when the Secret does not exist
 */
export async function targetAddress(
  kube: KubeApi,
  namespace: string,
  { spec }: BackupTarget,
  signal: AbortSignal,
): Promise<BackupTargetAddress> {
  const { backupTargetURL: url = '', credentialSecret: name = '' } = spec;
  if (name === '') return { url, secret: {} };
  const secret = await readObject<Secret>(kube, secretType, { namespace, name }, signal);
  if (secret === undefined)
    throw new AppError('BACKUP_TARGET_SECRET', `the Secret ${name} of the backup target is not in ${namespace}`, {
      retry: 'later',
      nextStep: 'Make the Secret, or set the credential secret of the BackupTarget.',
    });
  const texts = Object.entries(secret.data ?? {}).map(([key, value]) => [
    key,
    Buffer.from(value, 'base64').toString('utf8'),
  ]);
  return { url, secret: Object.fromEntries(texts) };
}

/** Time limits for one operation on a target, in ms; without them a store that hangs would block the other operations. */
export const targetWorkMs = {
  /** Listing all volumes may take hundreds of calls. */
  look: 300_000,
  read: 300_000,
  /** All other backups of the volume are read to find the blocks that none of them uses. */
  delete: 3_600_000,
} as const;

interface TargetWork {
  readonly kube: KubeApi;
  readonly namespace: string;
  readonly clock: Clock;
  readonly targets: BackupTargets;
}

/**
 * Opens the target for one operation. An operation that is cut off by its time limit is safe to repeat. @throws the reason of the abort; what `work`
 * throws
 */
export async function withTarget<T>(
  { kube, namespace, clock, targets }: TargetWork,
  target: BackupTarget,
  { what, signal: ends }: { readonly what: keyof typeof targetWorkMs; readonly signal: AbortSignal },
  work: (catalog: BlockCatalog, o: Call) => Promise<T>,
): Promise<T> {
  const signal = AbortSignal.any([ends, clock.deadline(targetWorkMs[what])]);
  await using catalog = await targets.open(await targetAddress(kube, namespace, target, signal), { signal });
  return await work(catalog, { signal });
}
