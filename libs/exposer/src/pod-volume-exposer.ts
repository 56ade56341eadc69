import { diagnoseExposure } from './diagnose/diagnose-exposure.ts';
import { Refusals } from './diagnose/refusals.ts';
import type { ExposerPorts } from './exposer-ports.ts';
import { cleanUpPodVolume } from './pod-volume/clean-up-pod-volume.ts';
import { exposePodVolume } from './pod-volume/expose-pod-volume.ts';
import type { PodVolumeExposeParam } from './pod-volume/pod-volume-expose-param.ts';
import type { Exposer } from './snapshot-exposer.ts';

/**
 * For PodVolumeBackups and PodVolumeRestores: a volume of a running pod is read or filled in place (data-movement.md section 6).
 */
export function podVolumeExposer(ports: ExposerPorts): Exposer<PodVolumeExposeParam> {
  const refusals = new Refusals();
  return {
    expose: (owner, param, options) => refusals.during(owner, () => exposePodVolume(ports, owner, param, options)),
    diagnose: (owner, param, options) => {
      const { podVolume } = ports.settings ?? {};
      const known = { clientPod: param, refused: refusals.of(owner), podVolume };
      return diagnoseExposure(ports.kube, owner, { ...options, ...known });
    },
    cleanUp: (owner, _param, options) => {
      refusals.forget(owner);
      return cleanUpPodVolume(ports, owner, options);
    },
  };
}
