/** Objects of one kind are restored after all objects of some other kinds, because they depend on them without naming them. */
export interface KindBarrier {
  readonly kind: string;
  /** Kinds that are restored first: their objects in the same namespace, and cluster-scoped ones. `all`: every kind that is not after `all` itself. */
  readonly after: readonly string[] | 'all';
  readonly why: string;
}

const accounts = ['serviceaccounts', 'roles.rbac.authorization.k8s.io', 'rolebindings.rbac.authorization.k8s.io'];
const clusterRoles = ['clusterroles.rbac.authorization.k8s.io', 'clusterrolebindings.rbac.authorization.k8s.io'];
const limits = ['limitranges', 'priorityclasses.scheduling.k8s.io'];
/** Controllers create pods as soon as they exist themselves, so what these pods need is restored first. */
const beforeControllers = ['pods', ...accounts, ...limits];
const storageClasses = 'storageclasses.storage.k8s.io';
const snapshotGroup = 'snapshot.storage.k8s.io';

/**
 * The parts of Velero's order of kinds that matter. A reference of one object to another (a pod to its claims, a claim to its volume) is an
 * edge between these two only, so that an object that waits does not delay other objects.
 */
export const kindBarriers: readonly KindBarrier[] = [
  {
    kind: 'persistentvolumeclaims',
    after: [storageClasses],
    why: 'a claim without a StorageClass gets the default class when it is created, so that class has to exist',
  },
  {
    kind: 'persistentvolumes',
    after: [storageClasses],
    why: 'the class of a volume says which provisioner handles it',
  },
  {
    kind: `volumesnapshotcontents.${snapshotGroup}`,
    after: [`volumesnapshotclasses.${snapshotGroup}`],
    why: 'the CSI driver reads its secrets from the class',
  },
  {
    kind: `volumesnapshots.${snapshotGroup}`,
    after: [`volumesnapshotclasses.${snapshotGroup}`, `volumesnapshotcontents.${snapshotGroup}`],
    why: 'a snapshot without a class gets the default class; if its content does not exist, a new snapshot is taken',
  },
  {
    kind: 'persistentvolumeclaims',
    after: [`volumesnapshots.${snapshotGroup}`, 'datauploads.velero.io'],
    why: 'the data of a claim comes from a snapshot or a DataUpload, which has to exist',
  },
  {
    kind: 'secrets',
    after: ['serviceaccounts'],
    why: 'Kubernetes deletes the token of a ServiceAccount that does not exist',
  },
  {
    kind: 'limitranges',
    after: ['persistentvolumeclaims'],
    why: 'a claim that is older than a limit may exceed it; the limit would refuse it if it existed first',
  },
  {
    kind: 'pods',
    after: [...accounts, ...clusterRoles, 'secrets', 'configmaps', ...limits],
    why: 'a pod starts when it is created, and then needs its rights, settings and limits',
  },
  {
    kind: 'replicasets.apps',
    after: beforeControllers,
    why: 'a ReplicaSet adopts its pods if they exist, and creates new ones otherwise',
  },
  {
    kind: 'replicationcontrollers',
    after: beforeControllers,
    why: 'it adopts its pods if they exist, and creates new ones otherwise',
  },
  {
    kind: 'deployments.apps',
    after: [...beforeControllers, 'replicasets.apps'],
    why: 'a Deployment adopts its ReplicaSets if they exist, and creates a new one otherwise',
  },
  {
    kind: 'statefulsets.apps',
    after: [...beforeControllers, 'persistentvolumeclaims'],
    why: 'a StatefulSet creates its pods and claims if they do not exist',
  },
  { kind: 'daemonsets.apps', after: beforeControllers, why: 'a DaemonSet creates its pods if they do not exist' },
  { kind: 'jobs.batch', after: beforeControllers, why: 'a Job creates its pods if they do not exist' },
  {
    kind: 'cronjobs.batch',
    after: [...beforeControllers, 'jobs.batch'],
    why: 'a CronJob creates a Job if none exists for its last scheduled time',
  },
  {
    kind: 'services',
    after: ['endpoints'],
    why: 'Kubernetes creates empty Endpoints for a Service that has none, so those of the backup could not be created',
  },
  {
    kind: 'endpointslices.discovery.k8s.io',
    after: ['services'],
    why: 'Kubernetes deletes the EndpointSlices of a Service that does not exist',
  },
  {
    kind: 'ingresses.networking.k8s.io',
    after: ['ingressclasses.networking.k8s.io'],
    why: 'an Ingress without a class gets the default class when it is created, so that class has to exist',
  },
  {
    kind: 'apiservices.apiregistration.k8s.io',
    after: ['customresourcedefinitions.apiextensions.k8s.io'],
    why: 'the API server creates the APIServices of custom resources itself',
  },
  {
    kind: 'resourcequotas',
    after: 'all',
    why: 'objects that are older than a quota may exceed it; the quota would refuse them if it existed first',
  },
  {
    kind: 'mutatingwebhookconfigurations.admissionregistration.k8s.io',
    after: 'all',
    why: 'a webhook whose pods do not run yet refuses every object; the restored objects have already passed it once',
  },
  {
    kind: 'validatingwebhookconfigurations.admissionregistration.k8s.io',
    after: 'all',
    why: 'a webhook whose pods do not run yet refuses every object; the restored objects have already passed it once',
  },
  {
    kind: 'mutatingadmissionpolicybindings.admissionregistration.k8s.io',
    after: 'all',
    why: 'the objects of the backup already have the changes that the policy makes',
  },
  {
    kind: 'validatingadmissionpolicybindings.admissionregistration.k8s.io',
    after: 'all',
    why: 'objects that are older than a policy may violate it; the policy would refuse them if it existed first',
  },
];

/** How the server's list of priorities orders two kinds. */
interface ListedOrder {
  isListed(groupResource: string): boolean;
  isLow(groupResource: string): boolean;
  compare(one: string, other: string): number;
}

/** The barriers that apply. A barrier is dropped when the priorities list its two kinds in the opposite order. */
export function barriersFor(order: ListedOrder, barriers: readonly KindBarrier[] = kindBarriers): KindBarrier[] {
  return barriers.flatMap((barrier): KindBarrier[] => {
    const { kind, after } = barrier;
    if (after === 'all') return order.isListed(kind) ? [] : [barrier];
    const kept = after.filter((each) => {
      if (order.compare(each, kind) < 0) return true;
      return !order.isLow(each) && !(order.isListed(each) && order.isListed(kind));
    });
    return kept.length === 0 ? [] : [{ ...barrier, after: kept }];
  });
}
