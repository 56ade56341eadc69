import type { World } from '../../world/world.ts';
import type { Fault } from '../fault.ts';
import { told, waits } from '../injections.ts';

const hold = (world: World) => {
  world.kubelet.behaviour = 'hold';
};
const image = 'Make image localhost/lateen:dev available on node node-1, where the node-agent runs it.';

/** A state that cannot end by itself: reported immediately. */
const hopeless = (name: string, reason: string, words: string): Fault => ({
  name,
  direction: 'upload',
  setUp: hold,
  inject: (world) => waits(world, reason, words),
  ends: 'failed',
  message: `hosting pod velero/upload cannot start: ${reason}: ${words}. ${image}`,
});

/** A state that may end by itself. */
const waiting = (name: string, reason: string, words: string, nextStep?: string): Fault => ({
  name,
  direction: 'upload',
  setUp: hold,
  inject: (world) => {
    waits(world, reason, words);
    told(world, 'pod', 'Failed', `Error: ${words}`, 'kubelet');
  },
  ends: 'stuck',
  message: `hosting pod velero/upload cannot start: ${reason}: ${words}${nextStep === undefined ? '' : `. ${nextStep}`}`,
});
const create =
  'Create it, or correct the DaemonSet: hosting pods take environment and volumes over from DaemonSet node-agent.';

/** The hosting pod has a node, and its container does not start; texts of kubelet 1.34. */
export const podFaults: readonly Fault[] = [
  hopeless(
    'the image is not on the node',
    'ErrImageNeverPull',
    'Container image "localhost/lateen:dev" is not present with pull policy of Never',
  ),
  hopeless(
    'the registry does not have the image',
    'ImagePullBackOff',
    'Back-off pulling image "localhost/lateen:dev": ErrImagePull: failed to resolve reference "localhost/lateen:dev": not found',
  ),
  hopeless(
    'the image has no name that can be',
    'InvalidImageName',
    'Failed to apply default image tag "Not A Name": couldn\'t parse image name "Not A Name": invalid reference format',
  ),
  waiting(
    'the image is looked for',
    'ErrImagePull',
    'failed to pull and unpack image "localhost/lateen:dev": dial tcp 127.0.0.1:1: connect: connection refused',
    'Make the image available on that node, where the node-agent runs it.',
  ),
  waiting(
    'a Secret of the environment does not exist',
    'CreateContainerConfigError',
    'secret "cloud" not found',
    create,
  ),
  waiting(
    'a Secret of the environment lacks a key',
    'CreateContainerConfigError',
    "couldn't find key cloud in Secret velero/cloud-credentials",
    create,
  ),
  waiting(
    'something forbids root',
    'CreateContainerConfigError',
    "container's runAsUser breaks non-root policy (runAsNonRoot with run as root)",
    'Data movers run as root: remove runAsNonRoot from the policy or webhook that sets it.',
  ),
  waiting(
    'the container runtime is stuck',
    'CreateContainerError',
    'context deadline exceeded',
    'Check the container runtime of that node.',
  ),
];
