export type { PermissionErrors } from './attributes.ts';
export { type BlockRun, blockBytes, blockRuns, isZero } from './blocks.ts';
export type { DeletedEntries, FolderSpan, KeptEntry } from './delete-extra.ts';
export { type DeviceParts, type DevicePartsOptions, deviceParts } from './device-parts.ts';
export { type DeviceTransfer, deviceTransferError } from './device-transfer-error.ts';
export type { EntryAttributes } from './entry-attributes.ts';
export type { WrittenSince } from './present-entry.ts';
export { punchRange } from './punch-range.ts';
export { type VolumeWriter, type VolumeWriterOptions, volumeWriter } from './volume-writer.ts';
