import { annotations, type Backup } from '@lateen/api-types';
import type { HookCounts } from '@lateen/hooks';
import type { KubeObject } from '@lateen/kube';

/** A pod whose hooks after the backup are due, because those before it may have run. No command: it may hold a secret. */
export interface OpenPod {
  namespace: string;
  name: string;
  uid: string;
}

/** What has become of one pod. */
export type OpenPodEnd = { pod: OpenPod } & (
  | ({ kind: 'ran' } & HookCounts)
  /** It, or its place, is another's. */
  | { kind: 'gone' }
  /** Nobody may ask for it. */
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

/** As the annotation holds them; null takes it off. Pure. */
export const openPodsText = (pods: Iterable<OpenPod>): string | null => {
  const all = [...pods];
  return all.length === 0 ? null : JSON.stringify(all);
};

/** What a Backup says of them. A text that is none of ours names no pod. Pure. */
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
