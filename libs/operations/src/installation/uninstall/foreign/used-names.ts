import type { KubeObject, PodSpec, Unstructured } from '@lateen/api-types';

/** The fields of velero.io objects that name a Secret or a ConfigMap of their namespace. */
const references: readonly { kind: string; title: 'Secret' | 'ConfigMap'; path: readonly string[] }[] = [
  { kind: 'BackupStorageLocation', title: 'Secret', path: ['spec', 'credential', 'name'] },
  { kind: 'BackupStorageLocation', title: 'Secret', path: ['spec', 'objectStorage', 'caCertRef', 'name'] },
  { kind: 'VolumeSnapshotLocation', title: 'Secret', path: ['spec', 'credential', 'name'] },
  { kind: 'Backup', title: 'ConfigMap', path: ['spec', 'resourcePolicy', 'name'] },
  { kind: 'Schedule', title: 'ConfigMap', path: ['spec', 'template', 'resourcePolicy', 'name'] },
  { kind: 'Restore', title: 'ConfigMap', path: ['spec', 'resourceModifier', 'name'] },
];

/** Titles (`Secret keys`) of the objects that our objects and workloads name, and that therefore belong to Lateen. Pure. */
export function usedNames(objects: readonly KubeObject[], workloads: readonly KubeObject[]): Set<string> {
  const named = objects.flatMap((object) =>
    references.flatMap(({ kind, title, path }) => {
      const name = object.kind === kind ? at(object, path) : undefined;
      return typeof name === 'string' && name !== '' ? [`${title} ${name}`] : [];
    }),
  );
  return new Set([...named, ...workloads.flatMap(namedByWorkload)]);
}

const at = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, field) => (inner as Record<string, unknown> | undefined)?.[field], value);

/** Names the workload's service account, the ConfigMaps of its flags, and the objects that its pods mount. */
function namedByWorkload(workload: KubeObject): string[] {
  const pod = at(workload as Unstructured, ['spec', 'template', 'spec']) as PodSpec | undefined;
  if (pod === undefined) return [];
  const args = pod.containers.flatMap((container) => container.args ?? []);
  const ofFlags = args.flatMap((arg) => {
    const name = /^--[a-z-]+-configmap=(.+)$/.exec(arg)?.[1];
    return name === undefined ? [] : [`ConfigMap ${name}`];
  });
  const mounted = (pod.volumes ?? []).flatMap((volume) => {
    const { secret, configMap } = volume as { secret?: { secretName?: string }; configMap?: { name?: string } };
    return [
      ...(secret?.secretName === undefined ? [] : [`Secret ${secret.secretName}`]),
      ...(configMap?.name === undefined ? [] : [`ConfigMap ${configMap.name}`]),
    ];
  });
  const account = pod.serviceAccountName;
  return [...(account === undefined ? [] : [`ServiceAccount ${account}`]), ...ofFlags, ...mounted];
}
