import { configMapType } from '@lateen/api-types';
import { describeError } from '@lateen/errors';
import { type KubeApi, readObject } from '@lateen/kube';
import { parseVersionPriorities } from './choose-version.ts';

/** The name of the ConfigMap in the namespace of the installation; no object refers to it (api.md section 17.6). */
const name = 'enableapigroupversions';
const key = 'restoreResourcesVersionPriority';

export interface VersionPriorities {
  priorities: ReadonlyMap<string, readonly string[]>;
  /** Problems of reading the versions; they do not stop a restore, as in Velero. */
  warnings: readonly string[];
}

/** The versions in which the user wants resources restored; empty without such a ConfigMap. @throws only the signal's reason */
export async function readVersionPriorities(
  { kube, namespace }: { kube: KubeApi; namespace: string },
  signal: AbortSignal,
): Promise<VersionPriorities> {
  const warnings: string[] = [];
  try {
    const configMap = await readObject(kube, configMapType, { namespace, name }, signal);
    const said = (line: string) =>
      warnings.push(`ConfigMap ${name}: ${line} is not a line such as resource.group=v1,v2`);
    return { priorities: parseVersionPriorities(configMap?.data?.[key] ?? '', said), warnings };
  } catch (error) {
    signal.throwIfAborted();
    return { priorities: new Map(), warnings: [`ConfigMap ${name} cannot be read: ${describeError(error)}`] };
  }
}
