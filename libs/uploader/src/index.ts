export { deleteSnapshot } from './attributes/delete-snapshot.ts';
export { deleteOrphanedManifests, orphanAgeMsMin, orphanedManifests } from './attributes/orphaned-manifests.ts';
export { type Program, type Programs, type SystemProgramsOptions, systemPrograms } from './attributes/programs.ts';
export { kopiaUploader } from './kopia-uploader.ts';
export type { KopiaUploaderOptions } from './kopia-uploader-options.ts';
export { resticUploader } from './restic/restic-uploader.ts';
export type { ResticUploaderOptions } from './restic/restic-uploader-options.ts';
export { downloadFailures, snapshotLookupFailures, uploadFailures } from './volume-failures.ts';
