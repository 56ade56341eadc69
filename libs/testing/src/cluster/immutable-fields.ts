import { isDeepStrictEqual } from 'node:util';
import type { ResourceType, Unstructured } from '@lateen/kube';
import { invalid } from './api-error.ts';
import { typeKeyOf } from './store.ts';

type Fields = Readonly<Record<string, unknown>>;
/** The problems of a change, each as `field: Kind of problem: text`. */
type Rule = (before: Unstructured, now: Unstructured) => string[];

const valueAt = (object: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, field) => (value as Fields | undefined)?.[field], object);

const differs = (before: unknown, now: unknown): boolean => !isDeepStrictEqual(before ?? undefined, now ?? undefined);

/** The field is immutable. `why` is the text that the server adds. */
const fixed =
  (path: string, why: (value: unknown) => string = immutable): Rule =>
  (before, now) => {
    const next = valueAt(now, path);
    return differs(valueAt(before, path), next) ? [`${path}: ${why(next)}`] : [];
  };

const immutable = (value: unknown): string => `Invalid value: ${JSON.stringify(value ?? null)}: field is immutable`;

/** Only some fields of the spec are mutable. */
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

/** ConfigMaps and Secrets with `immutable: true`. */
const sealed: Rule = (before, now) => {
  if (before.immutable !== true) return [];
  const why = 'Forbidden: field is immutable when `immutable` is set';
  return [
    ...(now.immutable === true ? [] : [`immutable: ${why}`]),
    ...['data', 'binaryData'].filter((field) => differs(before[field], now[field])).map((field) => `${field}: ${why}`),
  ];
};

/** A claim may get a volume name while it has none. */
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

/** The cluster IP is immutable while the Service has one. */
const service: Rule = (before, now) => {
  const [old, next] = [valueAt(before, 'spec.clusterIP'), valueAt(now, 'spec.clusterIP')];
  if (!old || !differs(old, next) || valueAt(now, 'spec.type') === 'ExternalName') return [];
  return [`spec.clusterIPs[0]: Invalid value: ${JSON.stringify([next ?? ''])}: may not change once set`];
};

/**
 * In a pod's spec only container images and a few numbers are mutable; scheduling gates can be removed, and while a pod has some, its node
 * selection may change.
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

/** Immutable fields of existing objects, as far as a restore encounters them. */
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

/** @throws KUBE_INVALID when an immutable field changes */
export function checkChange(type: ResourceType, before: Unstructured, now: Unstructured): void {
  const wrong = rules[typeKeyOf(type)]?.(before, now) ?? [];
  if (wrong.length > 0) throw invalid(type, now.metadata.name ?? '', ...wrong);
}
