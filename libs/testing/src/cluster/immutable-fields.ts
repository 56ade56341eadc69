import { isDeepStrictEqual } from 'node:util';
import type { ResourceType, Unstructured } from '@lateen/kube';
import { invalid } from './api-error.ts';
import { typeKeyOf } from './store.ts';

type Fields = Readonly<Record<string, unknown>>;
/** What is wrong with the change, each as `field: Kind of problem: text`. */
type Rule = (before: Unstructured, now: Unstructured) => string[];

const valueAt = (object: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, field) => (value as Fields | undefined)?.[field], object);

const differs = (before: unknown, now: unknown): boolean => !isDeepStrictEqual(before ?? undefined, now ?? undefined);

/** The field keeps its value. `why` is what the server says behind it. */
const fixed =
  (path: string, why: (value: unknown) => string = immutable): Rule =>
  (before, now) => {
    const next = valueAt(now, path);
    return differs(valueAt(before, path), next) ? [`${path}: ${why(next)}`] : [];
  };

const immutable = (value: unknown): string => `Invalid value: ${JSON.stringify(value ?? null)}: field is immutable`;

/** Of the whole spec only some fields may change. */
const onlyChanging =
  (open: readonly string[], why: string): Rule =>
  (before, now) => {
    const rest = (object: Unstructured) =>
      Object.fromEntries(
        Object.entries((object.spec as Fields | undefined) ?? {}).filter(([at]) => !open.includes(at)),
      );
    return differs(rest(before), rest(now)) ? [`spec: Forbidden: ${why}`] : [];
  };

const all =
  (...rules: readonly Rule[]): Rule =>
  (before, now) =>
    rules.flatMap((rule) => rule(before, now));

/** ConfigMaps and Secrets that say so themselves. */
const sealed: Rule = (before, now) => {
  if (before.immutable !== true) return [];
  const why = 'Forbidden: field is immutable when `immutable` is set';
  return [
    ...(now.immutable === true ? [] : [`immutable: ${why}`]),
    ...['data', 'binaryData'].filter((field) => differs(before[field], now[field])).map((field) => `${field}: ${why}`),
  ];
};

/** A claim may take a volume as long as it names none. */
const claim: Rule = (before, now) => {
  const rest = (object: Unstructured): Record<string, unknown> => {
    const { resources: _r, volumeAttributesClassName: _c, ...spec } = { ...(object.spec as object) } as Fields;
    if (!valueAt(before, 'spec.volumeName')) return { ...spec, volumeName: undefined };
    return spec;
  };
  const why =
    'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
  return isDeepStrictEqual(rest(before), rest(now)) ? [] : [`spec: Forbidden: ${why}`];
};

const volume: Rule = (before, now) => {
  const settings = [
    'accessModes',
    'capacity',
    'claimRef',
    'mountOptions',
    'nodeAffinity',
    'persistentVolumeReclaimPolicy',
    'storageClassName',
    'volumeAttributesClassName',
    'volumeMode',
  ];
  const source = (object: Unstructured) =>
    Object.fromEntries(
      Object.entries((object.spec as Fields | undefined) ?? {}).filter(([at]) => !settings.includes(at)),
    );
  const why = 'Forbidden: spec.persistentvolumesource is immutable after creation';
  return differs(source(before), source(now)) ? [`spec.persistentvolumesource: ${why}`] : [];
};

/** An address stays for as long as the Service has one. */
const service: Rule = (before, now) => {
  const [old, next] = [valueAt(before, 'spec.clusterIP'), valueAt(now, 'spec.clusterIP')];
  if (!old || !differs(old, next) || valueAt(now, 'spec.type') === 'ExternalName') return [];
  return [`spec.clusterIPs[0]: Invalid value: ${JSON.stringify([next ?? ''])}: may not change once set`];
};

/**
 * Containers' images and a few numbers change, gates are taken away, and while there are some, the choice of nodes may change; the rest of
 * a pod's spec is what it was made with.
 */
const pod: Rule = (before, now) => {
  const isGated = (valueAt(before, 'spec.schedulingGates') as unknown[] | undefined)?.length;
  const rest = (object: Unstructured) => {
    const spec = { ...(object.spec as object) } as Record<string, unknown>;
    const bare = (containers: unknown) =>
      (Array.isArray(containers) ? containers : []).map(({ image: _, ...more }: Record<string, unknown>) => more);
    const { activeDeadlineSeconds: _a, tolerations: _t, schedulingGates: _g, ...kept } = spec;
    if (isGated) for (const field of ['nodeSelector', 'affinity']) delete kept[field];
    return { ...kept, containers: bare(spec.containers), initContainers: bare(spec.initContainers) };
  };
  const why =
    'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';
  return differs(rest(before), rest(now)) ? [`spec: Forbidden: ${why}`] : [];
};

const statefulSetFields = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
];
const statefulSetWhy =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

const roleRef = fixed('roleRef', (value) => `Invalid value: ${JSON.stringify(value)}: cannot change roleRef`);
const forbidden = (field: string) => fixed(field, () => `Forbidden: updates to ${field} are forbidden.`);

/** What may not change in an object that exists, as far as a restore meets it. */
const rules: Readonly<Record<string, Rule>> = {
  '/ConfigMap': sealed,
  '/PersistentVolume': volume,
  '/PersistentVolumeClaim': claim,
  '/Pod': pod,
  '/Secret': all(sealed, fixed('type')),
  '/Service': service,
  'apiextensions.k8s.io/CustomResourceDefinition': all(
    fixed('spec.group'),
    fixed('spec.scope'),
    fixed('spec.names.kind'),
  ),
  'apps/DaemonSet': fixed('spec.selector'),
  'apps/Deployment': fixed('spec.selector'),
  'apps/ReplicaSet': fixed('spec.selector'),
  'apps/StatefulSet': onlyChanging(statefulSetFields, statefulSetWhy),
  'batch/Job': all(fixed('spec.selector'), fixed('spec.template'), fixed('spec.completionMode')),
  'networking.k8s.io/IngressClass': fixed('spec.controller'),
  'rbac.authorization.k8s.io/ClusterRoleBinding': roleRef,
  'rbac.authorization.k8s.io/RoleBinding': roleRef,
  'scheduling.k8s.io/PriorityClass': fixed('value', () => 'Forbidden: may not be changed in an update.'),
  'storage.k8s.io/StorageClass': all(
    forbidden('parameters'),
    forbidden('provisioner'),
    forbidden('reclaimPolicy'),
    fixed('volumeBindingMode'),
  ),
};

/** @throws KUBE_INVALID when a field changes that is as it was made */
export function checkChange(type: ResourceType, before: Unstructured, now: Unstructured): void {
  const wrong = rules[typeKeyOf(type)]?.(before, now) ?? [];
  if (wrong.length > 0) throw invalid(type, now.metadata.name ?? '', ...wrong);
}
