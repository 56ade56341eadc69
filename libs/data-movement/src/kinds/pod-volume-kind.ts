import type { PodVolumeBackup, PodVolumeRestore } from '@lateen/api-types';
import { clientPodProblem, type Exposer, type PodVolumeExposeParam } from '@lateen/exposer';
import type { KubeApi } from '@lateen/kube';
import type { ClientOf, NamedPod } from './client-of.ts';
import { type MovementKind, ownerOf } from './movement-kind.ts';
import type { Ownership } from './ownership.ts';
import { nameProblem } from './require-names.ts';

export interface PodVolumePorts {
  exposer: Exposer<PodVolumeExposeParam>;
  /** A Go duration: how long one step of a data mover may wait (`--resource-timeout`); their specs have no such field. */
  operationTimeout: string;
}

/** The part of the client pod that both kinds share. */
export const clientOf = <T extends PodVolumeMovement>(
  direction: PodVolumeExposeParam['direction'],
  { nodeOf }: Ownership<T>,
): Pick<ClientOf<T>, 'podOf' | 'problem'> => ({
  podOf,
  problem: (pod, object) =>
    nameProblem(podNamesOf(object)) ??
    clientPodProblem(pod, { direction, pod: podOf(object), node: nodeOf(object) || undefined }),
});

export interface PodVolumeKindPorts extends PodVolumePorts {
  kube: KubeApi;
}

export type PodVolumeMovement = PodVolumeBackup | PodVolumeRestore;

/** Never throws: a clean-up must be possible also for an object with an invalid spec. */
export function podOf({ spec }: PodVolumeMovement): NamedPod {
  const { namespace = '', name = '', uid = '' } = spec.pod ?? {};
  return { namespace, name, uid };
}

/** The names of its pod, by field path. */
export const podNamesOf = ({ spec }: PodVolumeMovement) => ({
  'spec.pod.namespace': spec.pod?.namespace,
  'spec.pod.name': spec.pod?.name,
});

/** The exposer calls that both kinds share. */
export function exposedBy<T extends PodVolumeMovement>(
  exposer: Exposer<PodVolumeExposeParam>,
  paramOf: (object: T) => PodVolumeExposeParam,
): Pick<MovementKind<T>, 'exposeFailure' | 'diagnose' | 'cleanUp'> {
  return {
    exposeFailure: 'error exposing the volume of the pod',
    diagnose: (object, signal) => exposer.diagnose(ownerOf(object), paramOf(object), { signal }),
    cleanUp: (object, signal) => exposer.cleanUp(ownerOf(object), paramOf(object), { signal }),
  };
}
