/** Objects of a kind wait for all objects of other kinds that they depend on without naming them. */
export interface KindBarrier {
  readonly kind: string;
  /** Applies to objects of the same namespace and cluster-scoped ones. `all`: every kind that has no such barrier itself. */
  readonly after: readonly string[] | 'all';
  readonly why: string;
}

const accounts = ['serviceaccounts', 'roles.rbac.authorization.k8s.io', 'rolebindings.rbac.authorization.k8s.io'];
const clusterRoles = ['clusterroles.rbac.authorization.k8s.io', 'clusterrolebindings.rbac.authorization.k8s.io'];
const limits = ['limitranges', 'priorityclasses.scheduling.k8s.io'];
/** Controllers create pods at once when the backup has none of theirs, so these kinds come before controllers. */
const beforeControllers = ['pods', ...accounts, ...limits];
const storageClasses = 'storageclasses.storage.k8s.io';
const snapshotGroup = 'snapshot.storage.k8s.io';

/**
 * The parts of the serial kind-by-kind order that matter. A reference (a pod to its claims, a claim to its volume) is an edge between just
 * these objects, so that an object that waits holds up no others.
 */
export const kindBarriers: readonly KindBarrier[] = [
  {
    kind: 'persistentvolumeclaims',
    after: [storageClasses],
    why: 'a claim without a class gets the default class when it is created',
  },
  { kind: 'persistentvolumes', after: [storageClasses], why: 'a volume is made by the provisioner of its class' },
  {
    kind: `volumesnapshotcontents.${snapshotGroup}`,
    after: [`volumesnapshotclasses.${snapshotGroup}`],
    why: 'the driver takes its secrets from the class',
  },
  {
    kind: `volumesnapshots.${snapshotGroup}`,
    after: [`volumesnapshotclasses.${snapshotGroup}`, `volumesnapshotcontents.${snapshotGroup}`],
    why: 'a snapshot without a class gets the default class, and one that finds its content takes no new snapshot',
  },
  {
    kind: 'persistentvolumeclaims',
    after: [`volumesnapshots.${snapshotGroup}`, 'datauploads.velero.io'],
    why: 'a claim looks for the snapshot, or the moved data, that it is filled from',
  },
  { kind: 'secrets', after: ['serviceaccounts'], why: 'a token of an account that is not there is deleted at once' },
  {
    kind: 'limitranges',
    after: ['persistentvolumeclaims'],
    why: 'claims that were there before a limit are not refused by it',
  },
  {
    kind: 'pods',
    after: [...accounts, ...clusterRoles, 'secrets', 'configmaps', ...limits],
    why: 'a pod begins to work as soon as it is there: with its rights, its settings and the limits of its namespace',
  },
  {
    kind: 'replicasets.apps',
    after: beforeControllers,
    why: 'it takes pods that are there, and makes those that are missing',
  },
  { kind: 'replicationcontrollers', after: beforeControllers, why: 'as a ReplicaSet' },
  {
    kind: 'deployments.apps',
    after: [...beforeControllers, 'replicasets.apps'],
    why: 'it takes ReplicaSets that are there, or makes one, and that makes pods',
  },
  {
    kind: 'statefulsets.apps',
    after: [...beforeControllers, 'persistentvolumeclaims'],
    why: 'it makes the pods and claims that are missing',
  },
  { kind: 'daemonsets.apps', after: beforeControllers, why: 'it makes the pods that are missing' },
  { kind: 'jobs.batch', after: beforeControllers, why: 'it makes the pods that are missing' },
  {
    kind: 'cronjobs.batch',
    after: [...beforeControllers, 'jobs.batch'],
    why: 'it starts a Job when it sees none for its last scheduled time',
  },
  {
    kind: 'services',
    after: ['endpoints'],
    why: 'Endpoints written by hand would be created again, and empty, for a Service without a selector',
  },
  {
    kind: 'endpointslices.discovery.k8s.io',
    after: ['services'],
    why: 'slices of a Service that is not there are deleted at once',
  },
  {
    kind: 'ingresses.networking.k8s.io',
    after: ['ingressclasses.networking.k8s.io'],
    why: 'an Ingress without a class gets the default class when it is created',
  },
  {
    kind: 'apiservices.apiregistration.k8s.io',
    after: ['customresourcedefinitions.apiextensions.k8s.io'],
    why: 'the API server makes those of definitions itself',
  },
  { kind: 'resourcequotas', after: 'all', why: 'a quota counts what is there; it must not refuse what was there' },
  {
    kind: 'mutatingwebhookconfigurations.admissionregistration.k8s.io',
    after: 'all',
    why: 'a webhook without running pods refuses every object that it checks, and it has checked these objects before',
  },
  {
    kind: 'validatingwebhookconfigurations.admissionregistration.k8s.io',
    after: 'all',
    why: 'as a webhook that changes objects',
  },
  {
    kind: 'mutatingadmissionpolicybindings.admissionregistration.k8s.io',
    after: 'all',
    why: 'objects are restored as they were, with what was changed in them then',
  },
  {
    kind: 'validatingadmissionpolicybindings.admissionregistration.k8s.io',
    after: 'all',
    why: 'what was there before a policy is not refused by it',
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
