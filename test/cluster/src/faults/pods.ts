import type { Container, PodSpec } from '@lateen/api-types';
import type { ClusterFault } from './cluster-fault.ts';

const unscheduled = (words: string, nextStep: string) =>
  `hosting pod {namespace}/{upload} is not scheduled: 0/1 nodes are available: ${words}. ${nextStep}`;
const room = 'Free resources on a node, or request less with podResources in the node-agent configuration.';
const create =
  'Create it, or correct the DaemonSet: hosting pods take environment and volumes over from DaemonSet node-agent.';

/** The pod cannot be scheduled. */
export const schedulingFaults: readonly ClusterFault[] = [
  {
    name: 'no node matches loadAffinity',
    direction: 'upload',
    settings: { loadAffinity: [{ nodeSelector: { matchLabels: { disk: 'fast' } } }] },
    ends: 'stuck',
    message: unscheduled(
      "1 node(s) didn't match Pod's node affinity/selector",
      'Compare loadAffinity in the node-agent configuration with the labels of the nodes.',
    ),
  },
  {
    name: 'no node has the cpu',
    direction: 'upload',
    settings: { podResources: { requests: { cpu: '500' } } },
    ends: 'stuck',
    message: unscheduled('1 Insufficient cpu', room),
  },
  {
    name: 'no node has the memory',
    direction: 'upload',
    settings: { podResources: { requests: { memory: '50Ti' } } },
    ends: 'stuck',
    message: unscheduled('1 Insufficient memory', room),
  },
];

const containerOf = (spec: PodSpec): Container => {
  const [container] = spec.containers;
  if (container === undefined) throw new Error('the template has no container');
  return container;
};

/** The pod is scheduled, and its container does not start. */
export const startFaults: readonly ClusterFault[] = [
  {
    name: 'the image is not on the node',
    direction: 'upload',
    template: (spec) => {
      containerOf(spec).image = 'localhost/no-such:1';
    },
    ends: 'failed',
    message:
      'hosting pod {namespace}/{upload} cannot start: ErrImageNeverPull: Container image "localhost/no-such:1" is not present with pull policy of Never. Make image localhost/no-such:1 available on node node-1, where the node-agent runs it.',
  },
  {
    name: 'the image has no data mover',
    direction: 'upload',
    template: (spec) => {
      containerOf(spec).image = 'localhost/lateen-pause:dev';
    },
    ends: 'failed',
    message:
      'hosting pod {namespace}/{upload} failed: {runtime} exec: "data-mover": executable file not found in $PATH: unknown. Check the image of DaemonSet node-agent: it has no data-mover that can be run.',
  },
  {
    name: 'a Secret of the environment does not exist',
    direction: 'upload',
    template: (spec) => {
      const secretKeyRef = { name: 'no-such-secret', key: 'token' };
      containerOf(spec).env?.push({ name: 'TOKEN', valueFrom: { secretKeyRef } });
    },
    ends: 'stuck',
    message: `hosting pod {namespace}/{upload} cannot start: CreateContainerConfigError: secret "no-such-secret" not found. ${create}`,
  },
  {
    name: 'a Secret that the DaemonSet mounts does not exist',
    direction: 'upload',
    template: (spec) => {
      spec.volumes?.push({ name: 'cloud', secret: { secretName: 'no-such-secret' } });
      containerOf(spec).volumeMounts?.push({ name: 'cloud', mountPath: '/cloud' });
    },
    ends: 'stuck',
    message: `hosting pod {namespace}/{upload} cannot mount its volume: MountVolume.SetUp failed for volume "cloud" : secret "no-such-secret" not found. ${create}`,
  },
];
