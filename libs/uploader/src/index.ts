export { deleteSnapshot } from './attributes/delete-snapshot.ts';
export { deleteOrphanedManifests, orphanAgeMsMin } from './attributes/orphaned-manifests.ts';
export { type Program, type Programs, type SystemProgramsOptions, systemPrograms } from './attributes/programs.ts';
export type { BlockOptions } from './block/block-options.ts';
export type {
  BlockChanges,
  BlockSplice,
  BlockVolumeOfChanges,
  FullRead,
  SplicedVolume,
  SpliceVolume,
  VolumeOfChanges,
} from './block/block-splice.ts';
export { type SystemBlockOptions, systemBlock } from './block/system-block.ts';
export type { DeviceChanges, FileSplice } from './files/file-splice.ts';
export { kopiaUploader } from './kopia-uploader.ts';
export type { KopiaUploaderOptions } from './kopia-uploader-options.ts';
export { resticUploader } from './restic/restic-uploader.ts';
export type { ResticUploaderOptions } from './restic/restic-uploader-options.ts';
export { downloadFailures, snapshotLookupFailures, uploadFailures } from './volume-failures.ts';
