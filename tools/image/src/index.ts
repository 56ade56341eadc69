export { type ImageApp, imageApps } from './apps.ts';
export { type BuildImageOptions, type BuiltImage, buildImage, imageTag } from './build-image.ts';
export { type Bundle, bundle } from './bundle.ts';
export { describeLayer, type LayerBlob } from './layer-blob.ts';
export { type LayerEntry, writeLayer } from './layer-tar.ts';
export { type OciArchiveOptions, writeOciArchive } from './oci-archive.ts';
export type { ImageConfig } from './oci-documents.ts';
