import { int64Of, type VolumeSpec } from '@lateen/storage-types';
import {
  checkActivate,
  checkExpand,
  checkReplicaCountState,
  checkVolumeUpdate,
  deniedByWebhook,
  isSupportedHere,
} from '@lateen/volume-decisions';
import { refused } from '../errors/error-body.ts';
import { activeEngine } from '../format/volume/volume-seen.ts';
import { bytesOf, volumeBytes } from './byte-text.ts';
import type { Input } from './read-input.ts';
import { type DecideAction, factsOf, unlessRefused, type VolumeActionSeen } from './volume-action-seen.ts';

/** Refused by what is checked of every change of a volume, in the words that the webhook puts around it. */
function setSpec(seen: VolumeActionSeen, spec: Partial<VolumeSpec>): ReturnType<DecideAction> {
  const { name, state } = factsOf(seen);
  const [before, after] = [seen.volume.spec, { ...seen.volume.spec, ...spec }];
  const refusal = checkVolumeUpdate({ name, state, before, after }) ?? newlyUnsupported(name, before, after);
  if (refusal !== undefined) throw refused(deniedByWebhook(refusal));
  return { intent: { do: 'set-spec', spec } };
}

/** A volume that came along with something that is not supported may still be changed in all other things. */
function newlyUnsupported(name: string, before: VolumeSpec, after: VolumeSpec): string | undefined {
  const tags = { nodeTags: new Set<string>(), diskTags: new Set<string>() };
  const refusal = isSupportedHere({ name, spec: after, ...tags });
  return refusal === isSupportedHere({ name, spec: before, ...tags }) ? undefined : refusal;
}

export const activate: DecideAction = (input, seen) => {
  const frontend = input.text('frontend');
  const { lastRestoredBackup = '' } = activeEngine(seen.engines)?.status ?? {};
  unlessRefused(checkActivate(factsOf(seen), frontend, lastRestoredBackup));
  return setSpec(seen, { frontend: frontend as NonNullable<VolumeSpec['frontend']>, Standby: false });
};

export const expand: DecideAction = (input, seen) => {
  unlessRefused(checkExpand(factsOf(seen)));
  const bytes = volumeBytes(bytesOf(input.text('size')));
  // Not larger is no error here, and changes nothing.
  if (bytes <= (int64Of(seen.volume.spec.size) ?? 0n)) return { intent: { do: 'nothing' } };
  return setSpec(seen, { size: bytes.toString() });
};

export const engineUpgrade: DecideAction = (input, seen) => setSpec(seen, { image: input.text('image') });

export const updateReplicaCount: DecideAction = (input, seen) => {
  unlessRefused(checkReplicaCountState(factsOf(seen).state));
  return setSpec(seen, { numberOfReplicas: input.number('replicaCount') });
};

type Read = (input: Input, field: string) => unknown;
const text: Read = (input, field) => input.text(field);
const number: Read = (input, field) => input.number(field);
const byteText: Read = (input, field) => bytesOf(input.text(field)).toString();
const wholeNumber: Read = (input, field) => Number(bytesOf(input.text(field)));

const setting =
  (field: keyof VolumeSpec, read: Read): DecideAction =>
  (input, seen) =>
    setSpec(seen, { [field]: read(input, field) });

/** Actions that set one field of the spec, which has the same name in the body. */
export const fieldActions: Readonly<Record<string, DecideAction>> = {
  offlineReplicaRebuilding: setting('offlineRebuilding', text),
  updateAccessMode: setting('accessMode', text),
  updateUblkQueueDepth: setting('ublkQueueDepth', number),
  updateUblkNumberOfQueue: setting('ublkNumberOfQueue', number),
  updateReplicaAutoBalance: setting('replicaAutoBalance', text),
  updateBackupCompressionMethod: setting('backupCompressionMethod', text),
  updateBackupTargetName: setting('backupTargetName', text),
  updateDataLocality: setting('dataLocality', text),
  updateUnmapMarkSnapChainRemoved: setting('unmapMarkSnapChainRemoved', text),
  updateSnapshotDataIntegrity: setting('snapshotDataIntegrity', text),
  updateReplicaSoftAntiAffinity: setting('replicaSoftAntiAffinity', text),
  updateReplicaZoneSoftAntiAffinity: setting('replicaZoneSoftAntiAffinity', text),
  updateReplicaDiskSoftAntiAffinity: setting('replicaDiskSoftAntiAffinity', text),
  updateFreezeFilesystemForSnapshot: setting('freezeFilesystemForSnapshot', text),
  updateSnapshotMaxCount: setting('snapshotMaxCount', number),
  updateRebuildConcurrentSyncLimit: setting('rebuildConcurrentSyncLimit', number),
  updateSnapshotMaxSize: setting('snapshotMaxSize', byteText),
  updateReplicaRebuildingBandwidthLimit: setting('replicaRebuildingBandwidthLimit', wholeNumber),
};
