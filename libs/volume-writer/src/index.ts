export type { PermissionErrors } from './attributes.ts';
export type { DeletedEntries, KeptEntry } from './delete-extra.ts';
export type { EntryAttributes } from './entry-attributes.ts';
export { type VolumeWriter, type VolumeWriterOptions, volumeWriter } from './volume-writer.ts';
