import { type Container, hookAnnotations, type Pod, type RestoreHooks } from '@lateen/api-types';
import type { Random } from '@lateen/kernel';
import { appliesToPlace } from '../hook/applies-to-pod.ts';
import { commandOf } from '../hook/written-hook.ts';

/** The init container that waits until pod volumes are restored through the file system; hooks run after it and find the data. */
export const restoreWaitName = 'restore-wait';
/** Includes the name that Velero used when restic was its only uploader. */
const restoreWaitNames: readonly (string | undefined)[] = [restoreWaitName, 'restic-wait'];

export const isRestoreWait = (container: { name: string } | undefined): boolean =>
  restoreWaitNames.includes(container?.name);

/**
 * The init containers that the restore adds to a pod (backup-and-restore.md section 15). Image and command in annotations replace those of
 * the spec; the filters of the spec are applied to the target namespace of the pod.
 */
export function initHooksOf(
  pod: Pod,
  hooks: RestoreHooks | null | undefined,
  { targetNamespace, random }: { targetNamespace: string; random: Random },
): Container[] {
  const annotated = annotatedContainer(pod, random);
  if (annotated !== undefined) return [annotated];
  return (hooks?.resources ?? [])
    .filter((resource) => appliesToPlace(resource, { ...pod.metadata, namespace: targetNamespace }))
    .flatMap(({ postHooks }) => postHooks ?? [])
    .flatMap(({ init }) => (init?.initContainers ?? []) as unknown as Container[])
    .map((container) => (container.name ? container : { ...container, name: generatedName(random) }));
}

/** Adds the init containers of hooks to the pod's own: after the one that waits for data, before all others, replacing those of the same name. */
export function withInitHooks(own: readonly Container[], hooks: readonly Container[]): Container[] {
  const replaced = new Set(hooks.map(({ name }) => name));
  const kept = own.filter(({ name }) => !replaced.has(name));
  const first = isRestoreWait(kept[0]) ? 1 : 0;
  return [...kept.slice(0, first), ...hooks, ...kept.slice(first)];
}

function annotatedContainer({ metadata }: Pod, random: Random): Container | undefined {
  const annotations = metadata.annotations ?? {};
  const keys = hookAnnotations.initRestore;
  const image = annotations[keys['container-image']] ?? '';
  const command = annotations[keys.command] ?? '';
  if (image === '' || command === '') return undefined;
  const name = annotations[keys['container-name']] || generatedName(random);
  return { name, image, command: commandOf(command) };
}

const generatedName = (random: Random): string =>
  `velero-restore-init-${random.uuid().replaceAll('-', '').slice(0, 8)}`;
