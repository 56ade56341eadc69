import type { Unstructured } from '@lateen/api-types';
import { isSame } from './merge-difference.ts';

/**
 * Adds what the backup has to an existing ServiceAccount: secrets, image pull secrets, labels, annotations. Existing values take precedence,
 * because every namespace gets a `default` one that its pods use at once (backup-and-restore.md section 14).
 */
export function mergeServiceAccount(inCluster: Unstructured, wanted: Unstructured): Unstructured {
  const { metadata } = inCluster;
  return {
    ...inCluster,
    ...withMore('secrets', inCluster.secrets, wanted.secrets),
    ...withMore('imagePullSecrets', inCluster.imagePullSecrets, wanted.imagePullSecrets),
    metadata: {
      ...metadata,
      labels: { ...wanted.metadata.labels, ...metadata.labels },
      annotations: { ...wanted.metadata.annotations, ...metadata.annotations },
    },
  };
}

function withMore(field: string, there: unknown, more: unknown): Record<string, unknown> {
  const own: readonly unknown[] = Array.isArray(there) ? there : [];
  const missing = (Array.isArray(more) ? more : []).filter((item) => !own.some((each) => isSame(each, item)));
  return missing.length === 0 ? {} : { [field]: [...own, ...missing] };
}
