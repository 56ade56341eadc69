export { describeLayer, type LayerBlob } from './layer-blob.ts';
export { type LayerEntry, writeLayer } from './layer-tar.ts';
export { type OciArchiveOptions, writeOciArchive } from './oci-archive.ts';
export type { ImageConfig } from './oci-documents.ts';
