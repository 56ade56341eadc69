export { type ClassKind, chooseClass, groupSnapshotClassKind, snapshotClassKind } from './choose-class.ts';
export { contentOnHandle, handleOf, type NewContent } from './content-on-handle.ts';
export { deleteSnapshot } from './delete-snapshot.ts';
export { retireSnapshot } from './retire-snapshot.ts';
export {
  type SightPorts,
  type SnapshotSight,
  type WaitForSnapshot,
  watchEach,
  watchTogether,
} from './snapshot-sight.ts';
export { type SnapshotRequest, takeSnapshot } from './take-snapshot.ts';
export { type UploadFacts, uploadSpec } from './upload-spec.ts';
export { type TakenSnapshot, type WaitNotes, waitForHandle } from './wait-for-handle.ts';
