import { priorityClassType, storageClassType } from '@lateen/api-types';
import { describeError } from '@lateen/errors';
import type { CachePVC, ExposureSettings } from '@lateen/exposer';
import { isNotFound, type KubeApi, type KubeObject, type ResourceType } from '@lateen/kube';
import type { AskedCachePVC, AskedExposure } from './exposure.ts';
import type { Remark } from './settings-value.ts';

/**
 * Looks up the classes that the settings name. A class that is missing, or cannot be read, is ignored with a remark, as in
 * Velero: pods then have the default priority, and restores no cache volume.
 */
export async function checkClasses(
  kube: KubeApi,
  { priorityClassName, cachePVC, ...others }: Omit<AskedExposure, 'podVolume'>,
  { cacheLimitMB, remark, signal }: { cacheLimitMB: number; remark: Remark; signal: AbortSignal },
): Promise<ExposureSettings> {
  const [exists, cache] = await Promise.all([
    found(kube, priorityClassType, ['priorityClassName', priorityClassName], { remark, signal }),
    checkedCache(kube, cachePVC, { cacheLimitMB, remark, signal }),
  ]);
  return {
    ...others,
    ...(exists === undefined ? {} : { priorityClassName }),
    ...(cache === undefined ? {} : { cachePVC: cache }),
  };
}

/** A class with reclaim policy Retain would leave a volume behind after every restore (api.md section 17.1). */
async function checkedCache(
  kube: KubeApi,
  asked: AskedCachePVC | undefined,
  { cacheLimitMB, remark, signal }: { cacheLimitMB: number; remark: Remark; signal: AbortSignal },
): Promise<CachePVC | undefined> {
  const storageClass = await found(kube, storageClassType, ['cachePVC.storageClass', asked?.storageClass], {
    remark,
    signal,
  });
  if (asked === undefined || storageClass === undefined) return undefined;
  const policy = storageClass.reclaimPolicy ?? 'Delete';
  if (policy === 'Delete') {
    const waitsForConsumer = storageClass.volumeBindingMode === 'WaitForFirstConsumer';
    return { ...asked, waitsForConsumer, limitMB: cacheLimitMB };
  }
  remark(
    `"cachePVC" is ignored: storage class "${asked.storageClass}" has reclaim policy ${policy}, it must be Delete`,
  );
  return undefined;
}

async function found<T extends KubeObject>(
  kube: KubeApi,
  type: ResourceType<T>,
  [key, name]: readonly [key: string, name: string | undefined],
  { remark, signal }: { remark: Remark; signal: AbortSignal },
): Promise<T | undefined> {
  if (name === undefined) return undefined;
  try {
    return await kube.get(type, { name }, { signal });
  } catch (error) {
    signal.throwIfAborted();
    const why = isNotFound(error) ? 'does not exist' : `cannot be looked up: ${describeError(error)}`;
    remark(`"${key}" is ignored: ${type.kind} "${name}" ${why}`);
    return undefined;
  }
}
