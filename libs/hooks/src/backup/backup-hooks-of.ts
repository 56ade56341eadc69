import { type BackupHooks, hookAnnotations, type Pod } from '@lateen/api-types';
import { appliesToPod } from '../hook/applies-to-pod.ts';
import type { HookPhase, PodHook } from '../hook/pod-hook.ts';
import { annotatedName, commandOf, podHook } from '../hook/written-hook.ts';

/**
 * The hooks of a pod for one phase, in the order in which they run (backup-and-restore.md section 7). A command in an annotation
 * replaces all hooks of the spec.
 */
export function backupHooksOf(pod: Pod, phase: HookPhase, hooks: BackupHooks | null | undefined): PodHook[] {
  const annotated = annotatedHook(pod, phase);
  if (annotated !== undefined) return [annotated];
  return (hooks?.resources ?? [])
    .filter((resource) => appliesToPod(resource, pod))
    .flatMap((resource) =>
      (resource[phase] ?? []).map(({ exec }) => podHook(pod, phase, { ...exec, name: resource.name, source: 'spec' })),
    );
}

type Keys = (typeof hookAnnotations)['preBackup' | 'postBackup' | 'backup'];

function annotatedHook(pod: Pod, phase: HookPhase): PodHook | undefined {
  const annotations = pod.metadata.annotations ?? {};
  const spellings: readonly Keys[] =
    phase === 'pre' ? [hookAnnotations.preBackup, hookAnnotations.backup] : [hookAnnotations.postBackup];
  const keys = spellings.find(({ command }) => (annotations[command] ?? '') !== '');
  if (keys === undefined) return undefined;
  const [container, onError, timeout] = [keys.container, keys['on-error'], keys.timeout].map((key) => annotations[key]);
  return podHook(pod, phase, {
    name: annotatedName,
    source: 'annotation',
    command: commandOf(annotations[keys.command] ?? ''),
    ...(container === undefined ? {} : { container }),
    ...(onError === undefined ? {} : { onError }),
    ...(timeout === undefined ? {} : { timeout }),
  });
}
