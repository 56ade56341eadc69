/**
 * Key of `spec.dataMoverConfig` of a DataUpload: with `"true"` its snapshot is kept for the next upload of the claim, and of a
 * block volume only what has changed since the one that was kept before is read (docs/adr/0081, 0082).
 */
const keepBaseKey = 'KeepBaseSnapshot';

/** Whether a data mover configuration says so. */
export const keepsBase = (config: Readonly<Record<string, string>> | null | undefined): boolean =>
  config?.[keepBaseKey] === 'true';
