import type { PersistentVolumeClaim, StorageClass } from '@lateen/api-types';
import { AppError } from '@lateen/errors';

/**
 * The operating system that a volume's hosting pod needs, as far as the volume shows it: only NTFS needs Windows; block volumes
 * and everything else are read on Linux (data-movement.md section 4).
 */
export function volumeNodeOs(
  claim: PersistentVolumeClaim | undefined,
  storageClass: StorageClass,
): 'linux' | 'windows' {
  if (claim?.spec.volumeMode === 'Block') return 'linux';
  const fileSystem = storageClass.parameters?.['csi.storage.k8s.io/fstype'] ?? storageClass.parameters?.fsType;
  return fileSystem?.toLowerCase() === 'ntfs' ? 'windows' : 'linux';
}

/** @throws EXPOSE_WINDOWS: our data movers run on Linux */
export function requireLinux(nodeOs: string | undefined, what: string): void {
  if (nodeOs !== 'windows') return;
  throw new AppError('EXPOSE_WINDOWS', `${what} needs a data mover on Windows, and there is none`, {
    nextStep: 'Leave this volume out, or name another data mover in spec.datamover.',
  });
}
