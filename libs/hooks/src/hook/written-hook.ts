import { type BackupExecHook, type HookErrorMode, hookErrorModes, type Pod } from '@lateen/api-types';
import { quoted } from '@lateen/errors';
import { parseDurationMs } from '@lateen/kernel';
import type { HookPhase, PodHook } from './pod-hook.ts';

/** The timeout of a hook that specifies none. */
const timeoutMsDefault = 30_000;

/** A hook as it is written, in an annotation or in the spec. */
export type WrittenHook = Omit<BackupExecHook, 'onError'> & {
  name: string;
  source: PodHook['source'];
  onError?: string;
};

/** The name of hooks that come from annotations. */
export const annotatedName = '<from-annotation>';

/** A hook of a pod with every default filled in. */
export function podHook(pod: Pod, phase: HookPhase, written: WrittenHook): PodHook {
  const remarks: string[] = [];
  const { name, source, command } = written;
  const container = written.container || (pod.spec.containers[0]?.name ?? '');
  const onError = errorModeOf(written.onError, remarks);
  const timeoutMs = timeoutOf(written.timeout, remarks);
  const flaw = flawOf(pod, container, command);
  return {
    name,
    source,
    phase,
    container,
    command,
    timeoutMs,
    remarks,
    ...(onError === undefined ? {} : { onError }),
    ...(flaw === undefined ? {} : { flaw }),
  };
}

/** Parses a JSON array of strings; any other text is the program itself, because no shell splits it. */
export function commandOf(text: string): string[] {
  if (!text.startsWith('[')) return [text];
  try {
    const parsed: unknown = JSON.parse(text);
    if (Array.isArray(parsed) && parsed.every((each) => typeof each === 'string')) return parsed;
  } catch {
    // Not JSON: the name of a program that begins with a bracket (`[` is one).
  }
  return [text];
}

function errorModeOf(text: string | undefined, remarks: string[]): HookErrorMode | undefined {
  if (text === undefined || text === '') return undefined;
  const mode = hookErrorModes.find((each) => each === text);
  if (mode === undefined) remarks.push(`on-error ${quoted(text)} is neither Continue nor Fail and counts as not set`);
  return mode;
}

function timeoutOf(text: string | undefined, remarks: string[]): number {
  if (text === undefined || text === '') return timeoutMsDefault;
  const timeoutMs = parseDurationMs(text);
  if (timeoutMs !== undefined && timeoutMs > 0) return timeoutMs;
  // Zero means "not set" in the API.
  if (timeoutMs !== 0) remarks.push(`timeout ${quoted(text)} is not a duration above zero such as 5m, so 30s is used`);
  return timeoutMsDefault;
}

function flawOf(pod: Pod, container: string, command: readonly string[]): string | undefined {
  const { containers, initContainers = [] } = pod.spec;
  const restartable = initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always');
  const exists = [...containers, ...restartable].some(({ name }) => name === container);
  if (!exists) return `no such container: ${JSON.stringify(container)}`;
  return command.length === 0 ? 'the hook has no command' : undefined;
}
