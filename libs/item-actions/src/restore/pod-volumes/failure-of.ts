import { annotations, isTerminalPhase, type PodVolumeRestore } from '@lateen/api-types';

/** Why a PodVolumeRestore has not brought its data; undefined while it may, and when it has. Pure. */
export function failureOf({ spec, status, metadata }: PodVolumeRestore): string | undefined {
  const { phase = 'New', message = '' } = status ?? {};
  const why = metadata.annotations?.[annotations.canceledBecause] ?? message;
  if (phase === 'Failed') return `pod volume restore failed: ${why || 'the node-agent does not say why'}`;
  // One that nobody has taken on is not taken on any more.
  if (phase === 'Canceled' || (phase === 'New' && spec.cancel === true))
    return `pod volume restore canceled: ${why || 'spec.cancel was set'}`;
  return undefined;
}

/** The same of one that nobody follows any more: it has ended, is gone, or does not end although it was cancelled long ago. Pure. */
export function failureOfEnded(restore: PodVolumeRestore): string | undefined {
  const failure = failureOf(restore);
  if (failure !== undefined || isTerminalPhase(restore.status?.phase)) return failure;
  const { name, annotations: noted } = restore.metadata;
  return restore.spec.cancel
    ? `PodVolumeRestore ${name} does not end: ${noted?.[annotations.canceledBecause] ?? 'it was cancelled'}`
    : `PodVolumeRestore ${name} was deleted`;
}
