import { annotations, isTerminalPhase, type PodVolumeRestore } from '@lateen/api-types';

/** Why a PodVolumeRestore has not restored its data; undefined while it still may, and when it has. Pure. */
export function failureOf({ spec, status, metadata }: PodVolumeRestore): string | undefined {
  const { phase = 'New', message = '' } = status ?? {};
  const why = metadata.annotations?.[annotations.canceledBecause] ?? message;
  if (phase === 'Failed') return `pod volume restore failed: ${why || 'the node-agent does not say why'}`;
  // A canceled movement that no node-agent has accepted will not be accepted any more.
  if (phase === 'Canceled' || (phase === 'New' && spec.cancel === true))
    return `pod volume restore canceled: ${why || 'spec.cancel was set'}`;
  return undefined;
}

/**
 * The same for a movement that is no longer followed: it has ended, is gone, or has not ended long after it was canceled. Pure.
 */
export function failureOfEnded(restore: PodVolumeRestore): string | undefined {
  const failure = failureOf(restore);
  if (failure !== undefined || isTerminalPhase(restore.status?.phase)) return failure;
  const { name, annotations: noted } = restore.metadata;
  return restore.spec.cancel
    ? `PodVolumeRestore ${name} does not end: ${noted?.[annotations.canceledBecause] ?? 'it was cancelled'}`
    : `PodVolumeRestore ${name} was deleted`;
}
