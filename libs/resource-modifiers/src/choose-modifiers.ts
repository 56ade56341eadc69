import { configMapType, type RestoreSpec } from '@lateen/api-types';
import { AppError, describeError } from '@lateen/errors';
import type { KubeApi } from '@lateen/kube';
import { parseResourceModifiers } from './parse/parse-modifiers.ts';
import type { ResourceModifiers } from './resource-modifiers.ts';

/** The rules that hold for a restore. */
export interface ModifiersToUse {
  /** Absent: none. */
  modifiers?: ResourceModifiers;
  /** For `status.validationErrors`: the restore names rules that cannot be used. */
  problems: readonly string[];
  /** For the log of the restore: the server's default rules cannot be used, which does not stop it. */
  warnings: readonly string[];
}

export interface ModifierSources {
  kube: KubeApi;
  /** Of the installation; the ConfigMaps are there. */
  namespace: string;
  /** `--default-resource-modifier-configmap`; empty: none. */
  defaultConfigMap?: string | undefined;
}

/**
 * The rules that a restore names, or else the server's (after-1.18.1.md 1B): those of the restore replace them, and
 * `skipDefaultResourceModifier` leaves them out. @throws only the signal's reason
 */
export async function resourceModifiersFor(
  spec: RestoreSpec,
  { kube, namespace, defaultConfigMap = '' }: ModifierSources,
  signal: AbortSignal,
): Promise<ModifiersToUse> {
  const named = spec.resourceModifier ?? undefined;
  // Others than ConfigMaps are no rules; kinds are compared without regard to case (api.md section 3).
  const own = named?.kind.toLowerCase() === 'configmap' ? named.name : undefined;
  const byDefault = spec.skipDefaultResourceModifier === true ? '' : defaultConfigMap;
  const name = own ?? byDefault;
  if (name === '') return { problems: [], warnings: [] };
  try {
    return { modifiers: await read(kube, { namespace, name }, signal), problems: [], warnings: [] };
  } catch (error) {
    signal.throwIfAborted();
    const text = describeError(error);
    return own === undefined ? { problems: [], warnings: [text] } : { problems: [text], warnings: [] };
  }
}

async function read(
  kube: KubeApi,
  key: { namespace: string; name: string },
  signal: AbortSignal,
): Promise<ResourceModifiers> {
  const configMap = await kube.get(configMapType, key, { signal }).catch((error: unknown) => {
    const text = `failed to get resource modifiers configmap ${key.namespace}/${key.name}`;
    throw new AppError('RESOURCE_MODIFIERS_UNREADABLE', text, { cause: error });
  });
  return parseResourceModifiers(configMap);
}
