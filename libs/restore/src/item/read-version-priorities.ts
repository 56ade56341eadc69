import { configMapType } from '@lateen/api-types';
import { describeError } from '@lateen/errors';
import { type KubeApi, readObject } from '@lateen/kube';
import { parseVersionPriorities } from './choose-version.ts';

/** In the namespace of the installation; nothing refers to it (api.md section 17.6). */
const name = 'enableapigroupversions';
const key = 'restoreResourcesVersionPriority';

export interface VersionPriorities {
  priorities: ReadonlyMap<string, readonly string[]>;
  /** What could not be read; does not stop a restore, as in Velero. */
  warnings: readonly string[];
}

/** Versions that the user wants resources restored in; none where there is no such ConfigMap. @throws only the signal's reason */
export async function readVersionPriorities(
  { kube, namespace }: { kube: KubeApi; namespace: string },
  signal: AbortSignal,
): Promise<VersionPriorities> {
  const warnings: string[] = [];
  try {
    const configMap = await readObject(kube, configMapType, { namespace, name }, signal);
    const said = (line: string) => warnings.push(`ConfigMap ${name}: ${line} is no line like resource.group=v1,v2`);
    return { priorities: parseVersionPriorities(configMap?.data?.[key] ?? '', said), warnings };
  } catch (error) {
    signal.throwIfAborted();
    return { priorities: new Map(), warnings: [`ConfigMap ${name} cannot be read: ${describeError(error)}`] };
  }
}
