/**
 * Key of `spec.dataMoverConfig` of a DataUpload: with `"true"` its snapshot is kept for the next upload of the claim, and of a
 * block volume only what has changed since the one that was kept before is read (docs/adr/0081, 0082).
 */
const keepBaseKey = 'KeepBaseSnapshot';

/**
 * Key of the same with `KeepBaseSnapshot`: with `"true"`, of the large files of a file system volume only what lies on changed blocks is read
 * (docs/adr/0084).
 */
const changedBlocksInFilesKey = 'ChangedBlocksInFiles';

/** Whether a data mover configuration says so. */
export const keepsBase = (config: Readonly<Record<string, string>> | null | undefined): boolean =>
  config?.[keepBaseKey] === 'true';

/** Whether a data mover configuration wants changed blocks of files to be read; it says nothing of whether a base is kept. */
export const readsChangesOfFiles = (config: Readonly<Record<string, string>> | null | undefined): boolean =>
  config?.[changedBlocksInFilesKey] === 'true';
