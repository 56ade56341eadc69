export { type ChangedBytes, changedChunks, type FilePair } from './changed-chunks.ts';
export {
  decideFile,
  type FileDecision,
  type FileFacts,
  type FileOutcome,
  type FileReason,
  fileReasons,
  isStale,
  isTrue,
  type StoredFile,
} from './decide-file.ts';
export { type DeviceDoubt, type DeviceFacts, deviceDoubt, deviceDoubts, isPlain } from './device-doubt.ts';
export { type FileState, runOf } from './file-state.ts';
export { type MappedDevice, packMaps, type StoredMaps, unpackMaps } from './stored-maps.ts';
