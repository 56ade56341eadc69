import { persistentVolumeClaimType, podType, type ResourceType, volumeSnapshotContentType } from '@lateen/api-types';
import type { Fault } from '../fault.ts';
import { refused } from '../injections.ts';

interface Refusal {
  name: string;
  type: ResourceType;
  direction?: Fault['direction'];
  status?: number;
  reason?: string;
  words: string;
  nextStep: string;
}

/** A request that the API server will always reject fails immediately. */
const refusal = ({
  name,
  type,
  direction = 'upload',
  status = 403,
  reason = 'Forbidden',
  words,
  nextStep,
}: Refusal): Fault => ({
  name,
  direction,
  setUp: (world) => refused(world, type, status, reason, words),
  ends: 'failed',
  message: `error exposing ${direction === 'upload' ? 'snapshot' : 'target volume'}: ${words}. ${nextStep}`,
});

const restricted =
  'pods "upload" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false (container "u" must set securityContext.allowPrivilegeEscalation=false), runAsUser=0 (pod must not set runAsUser=0)';
const notAnswering =
  'Internal error occurred: failed calling webhook "why.example.com": failed to call webhook: Post "https://why.example.svc/x?timeout=10s": dial tcp 10.0.0.1:443: connect: connection refused';

/** Texts of kube-apiserver 1.34. */
export const refusalFaults: readonly Fault[] = [
  refusal({
    name: 'the quota allows no more pods',
    type: podType,
    words: 'pods "upload" is forbidden: exceeded quota: compute, requested: pods=1, used: pods=10, limited: pods=10',
    nextStep: 'Raise ResourceQuota compute, or delete objects that it counts.',
  }),
  refusal({
    name: 'the quota allows no restore pod',
    type: podType,
    direction: 'download',
    words: 'pods "download" is forbidden: exceeded quota: compute, requested: pods=1, used: pods=10, limited: pods=10',
    nextStep: 'Raise ResourceQuota compute, or delete objects that it counts.',
  }),
  refusal({
    name: 'the quota allows no more storage',
    type: persistentVolumeClaimType,
    words:
      'persistentvolumeclaims "upload" is forbidden: exceeded quota: storage, requested: requests.storage=1Gi, used: requests.storage=0, limited: requests.storage=100Mi',
    nextStep: 'Raise ResourceQuota storage, or delete objects that it counts.',
  }),
  refusal({
    name: 'the quota wants limits that nobody has set',
    type: podType,
    words: 'pods "upload" is forbidden: failed quota: q: must specify limits.cpu for: u; requests.memory for: u',
    nextStep: 'ResourceQuota q requires it: set podResources in the node-agent configuration.',
  }),
  refusal({
    name: 'the namespace is under Pod Security restricted',
    type: podType,
    words: restricted,
    nextStep: 'Data movers run as root: label their namespace pod-security.kubernetes.io/enforce=baseline.',
  }),
  refusal({
    name: 'an admission webhook says no',
    type: podType,
    words: 'admission webhook "policy.example.com" denied the request: images must come from registry.example.com',
    nextStep: 'Do what admission webhook policy.example.com asks for, or exempt the namespace from it.',
  }),
  refusal({
    name: 'an admission policy says no',
    type: podType,
    status: 422,
    reason: 'Invalid',
    words:
      "pods \"upload\" is invalid: : ValidatingAdmissionPolicy 'no-root.example' with binding 'no-root.example' denied request: no root here",
    nextStep: 'Do what ValidatingAdmissionPolicy no-root.example asks for, or exempt the namespace from it.',
  }),
  refusal({
    name: 'a LimitRange wants smaller containers',
    type: podType,
    words:
      'pods "upload" is forbidden: [minimum memory usage per Container is 1Gi, but request is 10Mi, maximum cpu usage per Container is 100m, but limit is 2]',
    nextStep: 'Fit podResources in the node-agent configuration to the LimitRange of that namespace.',
  }),
  refusal({
    name: 'a LimitRange wants smaller volumes',
    type: persistentVolumeClaimType,
    words:
      'persistentvolumeclaims "upload" is forbidden: maximum storage usage per PersistentVolumeClaim is 100Mi, but request is 1Gi',
    nextStep: 'Change the LimitRange of that namespace: the volume has to be as large as its snapshot.',
  }),
  refusal({
    name: 'the service account does not exist',
    type: podType,
    words:
      'pods "upload" is forbidden: error looking up service account velero/velero: serviceaccount "velero" not found',
    nextStep: 'Create ServiceAccount velero: hosting pods take it over from DaemonSet node-agent.',
  }),
  refusal({
    name: 'the priority class does not exist',
    type: podType,
    words: 'pods "upload" is forbidden: no PriorityClass with name movers was found',
    nextStep: 'Create PriorityClass movers, or correct priorityClassName in the node-agent configuration.',
  }),
  refusal({
    name: 'the node-agent may not make pods',
    type: podType,
    words:
      'pods is forbidden: User "system:serviceaccount:velero:node-agent" cannot create resource "pods" in API group "" in the namespace "velero"',
    nextStep: 'Let system:serviceaccount:velero:node-agent create pods: apply deploy/base/node-agent/rbac.yaml again.',
  }),
  refusal({
    name: 'the node-agent may not make snapshot contents',
    type: volumeSnapshotContentType,
    words:
      'volumesnapshotcontents.snapshot.storage.k8s.io is forbidden: User "system:serviceaccount:velero:node-agent" cannot create resource "volumesnapshotcontents" in API group "snapshot.storage.k8s.io" at the cluster scope',
    nextStep:
      'Let system:serviceaccount:velero:node-agent create volumesnapshotcontents: apply deploy/base/node-agent/rbac.yaml again.',
  }),
  refusal({
    name: 'the namespace of the installation is being deleted',
    type: persistentVolumeClaimType,
    words:
      'persistentvolumeclaims "upload" is forbidden: unable to create new content in namespace velero because it is being terminated',
    nextStep: 'The namespace is being deleted: nothing can be made there any more.',
  }),
  {
    name: 'an admission webhook does not answer',
    direction: 'upload',
    setUp: (world) => refused(world, podType, 500, 'InternalError', notAnswering),
    ends: 'stuck',
    message: `${notAnswering}. Repair admission webhook why.example.com, or remove its configuration: it does not answer.`,
  },
];
