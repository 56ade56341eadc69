import type { VolumeSnapshot } from '@lateen/api-types';
import type { ExposureSeen } from './exposure-seen.ts';
import { detail, type Finding, nameOf, oneLine } from './finding.ts';
import { type NextStepTable, nextStepFor } from './next-step-table.ts';
import { eventsAbout, newestTrouble, wordsOf } from './object-events.ts';

/** Reasons of the snapshot controller and the CSI snapshotter (external-snapshotter, pkg/*-controller). */
const troubleReasons = [
  'SnapshotCreationFailed',
  'SnapshotContentCreationFailed',
  'SnapshotContentMissing',
  'SnapshotContentMismatch',
  'SnapshotContentMisbound',
  'SnapshotBindFailed',
  'SnapshotContentValidationError',
  'SnapshotValidationError',
  'GetSnapshotClassFailed',
  'SetDefaultSnapshotClassFailed',
  'SnapshotStatusUpdateFailed',
  'SnapshotFinalizerError',
  'SnapshotContentCheckandUpdateFailed',
  'SnapshotCheckandUpdateFailed',
];

const nextSteps: NextStepTable = [
  [
    /snapshotclass|snapshot class|volumesnapshotclasses/i,
    'Create that VolumeSnapshotClass, or take the snapshot with another one.',
  ],
  [/persistentvolumeclaim .*not found|failed to get .*claim/i, 'Take a snapshot of a claim that exists.'],
  [/ResourceExhausted|no space|not enough|quota/i, 'Make room on the storage behind the CSI driver.'],
  [
    /Unavailable|connection refused|no such file or directory|connection error/i,
    'Check that the CSI driver runs on the node of the volume.',
  ],
  [
    /Unauthenticated|PermissionDenied|credential/i,
    'Check the credentials of the CSI driver, named by the VolumeSnapshotClass.',
  ],
  [/NotFound|not exist|not found/i, 'The snapshot or its volume is gone from the storage: take a new one.'],
];

/** The snapshot or its content reports an error. */
export function snapshotHasFailed({ snapshot, content, events }: ExposureSeen): Finding | undefined {
  if (snapshot === undefined || snapshot.status?.readyToUse === true) return undefined;
  const event = newestTrouble([...eventsAbout(events, content), ...eventsAbout(events, snapshot)], {
    reasons: troubleReasons,
    overBy: ['SnapshotReady'],
  });
  const words = messageOf(snapshot) ?? messageOf(content) ?? (event && wordsOf(event));
  if (words === undefined) return undefined;
  return {
    cause: `VolumeSnapshot ${nameOf(snapshot)} is not ready: ${oneLine(words)}`,
    nextStep: nextStepFor(nextSteps, words),
  };
}

/** Nothing has failed, but the snapshot is not ready: its progress, and the component that has to act next. */
export function snapshotIsPending({ snapshot, content }: ExposureSeen): Finding | undefined {
  if (snapshot === undefined || snapshot.status?.readyToUse === true) return undefined;
  const is = `VolumeSnapshot ${nameOf(snapshot)} is not ready`;
  if (snapshot.metadata.deletionTimestamp !== undefined)
    return { cause: `${is}: it is being deleted`, nextStep: 'Take a new snapshot, then start again.' };
  const bound = snapshot.status?.boundVolumeSnapshotContentName;
  if (bound === undefined || bound === '')
    return {
      cause: `${is}: no VolumeSnapshotContent is bound to it`,
      nextStep: 'Check that the snapshot controller (snapshot-controller) runs, and its log.',
    };
  if (content === undefined)
    return { cause: `${is}: its VolumeSnapshotContent ${bound} does not exist`, nextStep: 'Take a new snapshot.' };
  const { driver } = content.spec;
  if (content.status?.snapshotHandle === undefined || content.status.snapshotHandle === '')
    return {
      cause: `${is}: CSI driver ${driver} has not taken it yet`,
      nextStep: `Check that the csi-snapshotter of driver ${driver} runs, and its log.`,
    };
  return {
    cause: `${is}: CSI driver ${driver} has taken it, but does not call it ready to use yet${detail(driverNote(snapshot))}`,
    nextStep: 'Some storage systems first copy a snapshot elsewhere: check the storage, and wait.',
  };
}

function messageOf(object: Pick<VolumeSnapshot, 'status'> | { status?: { error?: { message?: string } } } | undefined) {
  const message = object?.status?.error?.message;
  return message === undefined || message === '' ? undefined : message;
}

function driverNote({ status }: VolumeSnapshot): string | undefined {
  return status?.creationTime === undefined ? undefined : `taken at ${status.creationTime}`;
}
