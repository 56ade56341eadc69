import type { Volume } from './volume.ts';

/**
 * The claim that a volume of a pod is on, if it is on one: the one that it names, or for a generic ephemeral volume the one
 * that Kubernetes names after pod and volume.
 */
export function claimNameOf(podName: string, { name, persistentVolumeClaim, ephemeral }: Volume): string | undefined {
  if (persistentVolumeClaim) return persistentVolumeClaim.claimName;
  return ephemeral ? `${podName}-${name}` : undefined;
}
