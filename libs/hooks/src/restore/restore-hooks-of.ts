import { hookAnnotations, type Pod, type RestoreExecHook, type RestoreHooks } from '@lateen/api-types';
import { quoted } from '@lateen/errors';
import { parseBoolean, parseDurationMs } from '@lateen/kernel';
import { appliesToPlace } from '../hook/applies-to-pod.ts';
import type { PodHook } from '../hook/pod-hook.ts';
import { annotatedName, commandOf, podHook, type WrittenHook } from '../hook/written-hook.ts';

/** A command to run in a container of a pod that was restored. */
export interface RestorePodHook extends PodHook {
  /** The longest wait for its container, from the creation of the pod on. Absent: as long as the restore waits for hooks. */
  waitTimeoutMs?: number;
  /** Whether the container must be ready, not only running. */
  waitForReady: boolean;
}

/**
 * The hooks of a restored pod, in the order in which they run (backup-and-restore.md section 15). A command in an annotation replaces all
 * hooks of the spec; the filters of the spec are applied to the restored pod.
 */
export function restoreHooksOf(pod: Pod, hooks: RestoreHooks | null | undefined): RestorePodHook[] {
  const annotated = annotatedHook(pod);
  if (annotated !== undefined) return [annotated];
  return (hooks?.resources ?? [])
    .filter((resource) => appliesToPlace(resource, pod.metadata))
    .flatMap(({ name, postHooks }) =>
      (postHooks ?? []).flatMap(({ exec }) => (exec === undefined ? [] : [specHook(pod, name, exec)])),
    );
}

function annotatedHook(pod: Pod): RestorePodHook | undefined {
  const annotations = pod.metadata.annotations ?? {};
  const keys = hookAnnotations.postRestore;
  const command = annotations[keys.command] ?? '';
  if (command === '') return undefined;
  const written: WrittenHook = {
    name: annotatedName,
    source: 'annotation',
    command: commandOf(command),
    ...presentTexts({
      container: annotations[keys.container],
      onError: annotations[keys['on-error']],
      timeout: annotations[keys['exec-timeout']],
    }),
  };
  const remarks: string[] = [];
  return restorePodHook(pod, written, {
    waitTimeout: annotations[keys['wait-timeout']],
    waitForReady: readyOf(annotations[keys['wait-for-ready']], remarks),
    remarks,
  });
}

function specHook(pod: Pod, name: string, exec: RestoreExecHook): RestorePodHook {
  const { command, container, onError, execTimeout, waitTimeout, waitForReady } = exec;
  const written: WrittenHook = {
    name,
    source: 'spec',
    command: command ?? [],
    ...presentTexts({ container, onError, timeout: execTimeout }),
  };
  return restorePodHook(pod, written, { waitTimeout, waitForReady: waitForReady === true, remarks: [] });
}

interface WrittenWait {
  waitTimeout: string | undefined;
  waitForReady: boolean;
  remarks: string[];
}

function restorePodHook(pod: Pod, written: WrittenHook, { waitTimeout, waitForReady, remarks }: WrittenWait) {
  const hook = podHook(pod, 'post', written);
  const waitTimeoutMs = waitOf(waitTimeout, remarks);
  const wait: Pick<RestorePodHook, 'waitTimeoutMs' | 'waitForReady'> = {
    waitForReady,
    ...(waitTimeoutMs === undefined ? {} : { waitTimeoutMs }),
  };
  return { ...hook, ...wait, remarks: [...hook.remarks, ...remarks] };
}

/** The wait in ms; an absent value and values up to zero mean no limit. */
function waitOf(text: string | undefined, remarks: string[]): number | undefined {
  if (text === undefined || text === '') return undefined;
  const waitMs = parseDurationMs(text);
  if (waitMs === undefined)
    remarks.push(`wait timeout ${quoted(text)} is not a duration such as 5m, so the hook has no limit of its own`);
  return waitMs !== undefined && waitMs > 0 ? waitMs : undefined;
}

function readyOf(text: string | undefined, remarks: string[]): boolean {
  if (text === undefined || text === '') return false;
  const isWanted = parseBoolean(text);
  if (isWanted === undefined)
    remarks.push(`wait-for-ready ${quoted(text)} is neither true nor false and counts as false`);
  return isWanted ?? false;
}

type Texts = Partial<Pick<WrittenHook, 'container' | 'onError' | 'timeout'>>;

const presentTexts = (texts: { [K in keyof Texts]: Texts[K] | undefined }): Texts =>
  Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== undefined));
