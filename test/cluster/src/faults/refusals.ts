import { podType } from '@lateen/api-types';
import { systemClock } from '@lateen/kernel';
import type { ClusterFault } from './cluster-fault.ts';
import type { FaultPlace } from './fault-place.ts';

const inNamespace = (place: FaultPlace, name: string) => ({ namespace: place.namespace, name });
const forPlace = ({ namespace }: FaultPlace) => ({ matchLabels: { 'kubernetes.io/metadata.name': namespace } });

const quota = (name: string, hard: object) => async (place: FaultPlace) => {
  await place.apply({ apiVersion: 'v1', kind: 'ResourceQuota', metadata: inNamespace(place, name), spec: { hard } });
};

const policy = ({ namespace }: FaultPlace) => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name: `${namespace}.example` },
  spec: {
    failurePolicy: 'Fail',
    matchConstraints: {
      resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
    },
    validations: [{ expression: 'false', message: 'no pods today' }],
  },
});
const policyBinding = (place: FaultPlace) => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name: `${place.namespace}.example` },
  spec: {
    policyName: `${place.namespace}.example`,
    validationActions: ['Deny'],
    matchResources: { namespaceSelector: forPlace(place) },
  },
});
const webhook = (place: FaultPlace) => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: place.namespace },
  webhooks: [
    {
      name: 'why.example.com',
      clientConfig: { url: 'https://127.0.0.1:1/x' },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      failurePolicy: 'Fail',
      namespaceSelector: forPlace(place),
    },
  ],
});

/** Objects that the API server rejects. */
export const refusalFaults: readonly ClusterFault[] = [
  {
    name: 'the quota allows no pods',
    direction: 'upload',
    prepare: quota('no-pods', { pods: '0' }),
    ends: 'failed',
    message:
      'error exposing snapshot: pods "{upload}" is forbidden: exceeded quota: no-pods, requested: pods=1, used: pods=0, limited: pods=0. Raise ResourceQuota no-pods, or delete objects that it counts.',
  },
  {
    name: 'the quota allows too little storage',
    direction: 'upload',
    prepare: quota('little', { 'requests.storage': '1Mi' }),
    ends: 'failed',
    message:
      'error exposing snapshot: persistentvolumeclaims "{upload}" is forbidden: exceeded quota: little, requested: requests.storage={size}, used: requests.storage=0, limited: requests.storage=1Mi. Raise ResourceQuota little, or delete objects that it counts.',
  },
  {
    name: 'the quota wants limits that nobody has set',
    direction: 'upload',
    prepare: quota('limits', { 'limits.cpu': '4' }),
    ends: 'failed',
    message:
      'error exposing snapshot: pods "{upload}" is forbidden: failed quota: limits: must specify limits.cpu for: {container}. ResourceQuota limits requires it: set podResources in the node-agent configuration.',
  },
  {
    name: 'a LimitRange wants smaller volumes',
    direction: 'upload',
    prepare: (place) =>
      place.apply({
        apiVersion: 'v1',
        kind: 'LimitRange',
        metadata: inNamespace(place, 'small'),
        spec: { limits: [{ type: 'PersistentVolumeClaim', max: { storage: '1Mi' } }] },
      }),
    ends: 'failed',
    message:
      'error exposing snapshot: persistentvolumeclaims "{upload}" is forbidden: maximum storage usage per PersistentVolumeClaim is 1Mi, but request is {size}. Change the LimitRange of that namespace: the volume has to be as large as its snapshot.',
  },
  {
    name: 'the namespace is under Pod Security restricted',
    direction: 'upload',
    prepare: (place) =>
      place.apply({
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: place.namespace, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
      }),
    ends: 'failed',
    message:
      'error exposing snapshot: pods "{upload}" is forbidden: violates PodSecurity "restricted:latest": {violations}. Data movers run as root: label their namespace pod-security.kubernetes.io/enforce=baseline.',
  },
  {
    name: 'an admission policy says no',
    direction: 'upload',
    prepare: async (place) => {
      await place.apply(policy(place), policyBinding(place));
      await untilPodsAreRefused(place);
    },
    cleanUp: (place) => place.remove(policyBinding(place), policy(place)),
    ends: 'failed',
    message:
      "error exposing snapshot: pods \"{upload}\" is {refusal}: ValidatingAdmissionPolicy '{policy}' with binding '{binding}' denied request: no pods today. Do what ValidatingAdmissionPolicy {policy} asks for, or exempt the namespace from it.",
  },
  {
    name: 'an admission webhook does not answer',
    direction: 'upload',
    prepare: async (place) => {
      await place.apply(webhook(place));
      await untilPodsAreRefused(place);
    },
    cleanUp: (place) => place.remove(webhook(place)),
    ends: 'stuck',
    message:
      'Internal error occurred: failed calling webhook "why.example.com": failed to call webhook: Post "https://127.0.0.1:1/x?timeout=10s": dial tcp 127.0.0.1:1: connect: connection refused. Repair admission webhook why.example.com, or remove its configuration: it does not answer.',
  },
  {
    name: 'the service account does not exist',
    direction: 'upload',
    template: (spec) => {
      spec.serviceAccountName = 'nobody';
    },
    ends: 'failed',
    message:
      'error exposing snapshot: pods "{upload}" is forbidden: error looking up service account {namespace}/nobody: serviceaccount "nobody" not found. Create ServiceAccount nobody: hosting pods take it over from DaemonSet node-agent.',
  },
];

/** Admission is configured through a watch, so it takes effect a moment later. */
async function untilPodsAreRefused({ kube, namespace }: FaultPlace): Promise<void> {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace, name: 'probe' },
    spec: { containers: [{ name: 'c', image: 'x' }] },
  };
  for (let attempt = 0; attempt < 100; attempt++) {
    const created = await kube.create(podType, pod as never).catch(() => undefined);
    if (created === undefined) return;
    await kube.delete(podType, { namespace, name: 'probe' }, { gracePeriodSeconds: 0 });
    await systemClock.sleep(200, AbortSignal.any([]));
  }
  throw new Error('pods are still taken');
}
