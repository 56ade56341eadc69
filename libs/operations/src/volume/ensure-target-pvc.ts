import { labels, type PersistentVolumeClaim, persistentVolumeClaimType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { readObject } from '@lateen/kube';
import type { DownloadSource } from './download-source.ts';
import type { VolumePorts } from './volume-ports.ts';
import type { VolumeReference } from './volume-reference.ts';

export interface TargetOptions {
  target: VolumeReference;
  /** Kubernetes quantity; absent: the size of the source PVC, if that still exists. */
  size?: string | undefined;
  storageClass?: string | undefined;
  /** The volume mode of a new PVC; absent: that of the source PVC, if that still exists. */
  volumeMode?: VolumeMode | undefined;
}

export type VolumeMode = 'Filesystem' | 'Block';

/**
 * Returns the PVC to restore into: the existing one if nothing is bound to it yet, otherwise a new one that only the restore can bind
 * (selector `velero.io/dynamic-pv-restore`, data-movement.md section 5).
 * @throws AppError TARGET_BOUND | TARGET_INCOMPLETE naming the missing flag
 */
export async function ensureTargetPvc(
  options: TargetOptions,
  source: DownloadSource,
  { kube, random }: Pick<VolumePorts, 'kube' | 'random'>,
  signal: AbortSignal,
): Promise<PersistentVolumeClaim> {
  const { namespace, pvc: name } = options.target;
  const existing = await readPvc({ kube }, options.target, signal);
  if (existing !== undefined) {
    if (existing.spec.volumeName !== undefined && existing.spec.volumeName !== '')
      throw new AppError('TARGET_BOUND', `Target PVC ${namespace}/${name} has already been bound, abort`, {
        nextStep: 'Choose a name that is free, or delete the PVC first; nothing was changed.',
      });
    return existing;
  }
  const sourcePvc =
    source.sourcePvc === undefined
      ? undefined
      : await readPvc({ kube }, { namespace: source.sourceNamespace, pvc: source.sourcePvc }, signal);
  const claim = targetPvc(options, source, sourcePvc, random.suffix(5));
  return await kube.create(persistentVolumeClaimType, claim, { signal });
}

function readPvc(
  { kube }: Pick<VolumePorts, 'kube'>,
  { namespace, pvc: name }: VolumeReference,
  signal: AbortSignal,
): Promise<PersistentVolumeClaim | undefined> {
  return readObject(kube, persistentVolumeClaimType, { namespace, name }, signal);
}

export function targetPvc(
  options: TargetOptions,
  source: DownloadSource,
  sourcePvc: PersistentVolumeClaim | undefined,
  suffix: string,
): PersistentVolumeClaim {
  const { namespace, pvc: name } = options.target;
  const size = options.size ?? sourcePvc?.spec.resources?.requests?.storage;
  const storageClass = options.storageClass ?? source.storageClass ?? sourcePvc?.spec.storageClassName;
  const missing = [
    ...(size === undefined ? ['--size'] : []),
    ...(storageClass === undefined ? ['--storage-class'] : []),
  ];
  if (size === undefined || storageClass === undefined)
    throw new AppError(
      'TARGET_INCOMPLETE',
      `PVC ${namespace}/${name} does not exist, and ${missing.join(' and ')} is not given to make it`,
      {
        nextStep: `Add ${missing.join(' and ')}, or create the PVC first.`,
      },
    );
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace, name },
    spec: {
      accessModes: sourcePvc?.spec.accessModes ?? ['ReadWriteOnce'],
      volumeMode: options.volumeMode ?? sourcePvc?.spec.volumeMode ?? 'Filesystem',
      storageClassName: storageClass,
      resources: { requests: { storage: size } },
      selector: { matchLabels: { [labels.dynamicPvRestore]: `${namespace}.${name}.${suffix}` } },
    },
  };
}
