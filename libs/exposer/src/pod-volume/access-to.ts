import { AppError } from '@lateen/errors';
import { keyOf, keyText } from '@lateen/kube';
import type { PodVolumeAccess } from '../settings/exposure-settings.ts';
import { hasKubeletPath } from './kubelet-path.ts';
import type { VolumeOfPod } from './volume-of-pod.ts';

/**
 * How a mover reaches this volume. A volume that the pod uses may be lent to a second pod only where its claim allows it: access
 * mode ReadWriteOncePod allows no other pod. A volume without a known directory of the kubelet, such as a path of the node that
 * is a PersistentVolume, is always lent, whatever the setting is: there is no other way to it. Pure.
 * @throws EXPOSE_NO_CLAIM_ACCESS when only claims may be used, and this one cannot
 */
export function accessTo(found: VolumeOfPod, wanted: PodVolumeAccess): 'host-path' | 'claim' {
  if (wanted === 'host-path' && hasKubeletPath(found)) return 'host-path';
  const why = whyNoClaim(found);
  if (why === undefined) return 'claim';
  if (wanted !== 'claim-only') return 'host-path';
  const { pod, volume } = found;
  throw new AppError(
    'EXPOSE_NO_CLAIM_ACCESS',
    `volume "${volume.name}" of pod ${keyText(keyOf(pod))} cannot be reached by a claim: ${why}`,
    {
      nextStep:
        'Leave the volume out, or let movers mount directories of the node: podVolume.access "claim" in the node-agent configuration.',
    },
  );
}

function whyNoClaim({ bound }: VolumeOfPod): string | undefined {
  if (bound === undefined) return 'it is on none';
  const modes = bound.claim.spec.accessModes ?? [];
  const isOfOnePod = modes.length === 1 && modes[0] === 'ReadWriteOncePod';
  return isOfOnePod ? 'its access mode is ReadWriteOncePod' : undefined;
}
