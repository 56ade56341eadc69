import { annotations, type Backup } from '@lateen/api-types';
import type { HookCounts } from '@lateen/hooks';
import type { KubeObject } from '@lateen/kube';

/** A pod whose post hooks have to run because its pre hooks may have run. The command is not recorded, because it may contain a secret. */
export interface OpenPod {
  namespace: string;
  name: string;
  uid: string;
}

/** The result for one pod. */
export type OpenPodEnd = { pod: OpenPod } & (
  | ({ kind: 'ran' } & HookCounts)
  /** The pod is gone, or another pod has its name. */
  | { kind: 'gone' }
  /** The API server refuses to read the pod, for example for lack of rights. */
  | { kind: 'unknown'; why: string }
  | { kind: 'later'; error: unknown }
);

export const openPodOf = ({
  metadata: { namespace = '', name = '', uid = '' },
}: Pick<KubeObject, 'metadata'>): OpenPod => ({
  namespace,
  name,
  uid,
});

/** The value of the annotation; null removes it. Pure. */
export const openPodsText = (pods: Iterable<OpenPod>): string | null => {
  const all = [...pods];
  return all.length === 0 ? null : JSON.stringify(all);
};

/** Reads the pods from a Backup's annotation. An invalid text counts as no pods. Pure. */
export function openPodsOf({ metadata }: Backup): OpenPod[] {
  const text = metadata.annotations?.[annotations.openHooks];
  if (text === undefined) return [];
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed.filter(isOpenPod) : [];
  } catch {
    return [];
  }
}

function isOpenPod(value: unknown): value is OpenPod {
  const { namespace, name, uid } = (value ?? {}) as Record<string, unknown>;
  return [namespace, name, uid].every((part) => typeof part === 'string' && part !== '');
}
