import { type Pod, podType, type Volume } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { type KubeApi, keyText, readObject } from '@lateen/kube';
import type { PodVolumeExposeParam } from './pod-volume-expose-param.ts';

/** The pod on the expected node, and its volume. @throws EXPOSE_POD_…, EXPOSE_NO_SUCH_VOLUME */
export async function readClientPod(
  kube: KubeApi,
  param: PodVolumeExposeParam,
  signal: AbortSignal,
): Promise<{ pod: Pod; volume: Volume }> {
  const { namespace, name } = param.pod;
  const pod = await readObject(kube, podType, { namespace, name }, signal);
  const problem = clientPodProblem(pod, param);
  if (problem !== undefined) throw problem;
  return { pod: pod as Pod, volume: volumeNamed(pod as Pod, param.volume) };
}

/** The pod whose volume it is, and the node on which it must be; the node is absent when the pod may still be anywhere. */
export type ClientPodOf = Pick<PodVolumeExposeParam, 'direction' | 'pod'> & { node?: string | undefined };

/**
 * Why the volume of this pod can neither be read nor filled any more: its directory on the node is removed with the pod.
 * Undefined while there is no problem. Pure, so it may be called on every change of the pod.
 */
export function clientPodProblem(
  pod: Pod | undefined,
  { direction, pod: meant, node }: ClientPodOf,
): AppError | undefined {
  const is = `pod ${keyText(meant)}`;
  const nextStep = nextSteps[direction];
  if (pod === undefined) return new AppError('EXPOSE_POD_GONE', `${is} does not exist any more`, { nextStep });
  if (pod.metadata.uid !== meant.uid)
    return new AppError('EXPOSE_POD_GONE', `${is} is another one now, with uid ${pod.metadata.uid}`, { nextStep });
  if (pod.metadata.deletionTimestamp !== undefined)
    return new AppError('EXPOSE_POD_GONE', `${is} is being deleted, and its volumes with it`, { nextStep });
  const phase = pod.status?.phase;
  if (phase === 'Succeeded' || phase === 'Failed')
    return new AppError('EXPOSE_POD_ENDED', `${is} has ended (${phase}), its volumes are not mounted any more`, {
      nextStep,
    });
  if (node === undefined || pod.spec.nodeName === node) return undefined;
  const where = (pod.spec.nodeName ?? '') === '' ? 'on no node' : `on node ${pod.spec.nodeName}`;
  return new AppError('EXPOSE_POD_ELSEWHERE', `${is} is ${where} and not on node ${node}`, { nextStep });
}

const nextSteps = {
  backup: 'Start a new backup when the pod, or the one in its place, runs.',
  restore: 'Start the restore again: it creates the pod again.',
} as const;

function volumeNamed({ metadata, spec: { volumes = [] } }: Pod, name: string): Volume {
  const volume = volumes.find((each) => each.name === name);
  if (volume !== undefined) return volume;
  throw new AppError('EXPOSE_NO_SUCH_VOLUME', `pod ${metadata.namespace}/${metadata.name} has no volume "${name}"`, {
    nextStep: `Name one that it has: ${volumes.map((each) => each.name).join(', ') || 'it has none'}.`,
  });
}
