export { type ImageApp, imageApps } from './apps.ts';
export { type AptSources, readAptSources, writeAptSources } from './apt-sources.ts';
export { backportsFiles, backportsOf, backportsPreferences } from './backports.ts';
export {
  type BuildImageOptions,
  type BuildStorageImageOptions,
  type BuiltImage,
  buildImage,
  buildStorageImage,
  storageImageTag,
} from './build-image.ts';
export { type Bundle, bundle, constantsFor } from './bundle.ts';
export { type DebianImageOptions, debianImage } from './debian-image.ts';
export { debianCodename, type RootContents } from './debian-root.ts';
export { type FileLockOptions, withFileLock } from './file-lock.ts';
export { type ImageProgram, imageApp, writeImageProgram } from './image-programs.ts';
export { describeLayer, type LayerBlob } from './layer-blob.ts';
export type { LayerEntry } from './layer-tar.ts';
export { type OciArchiveOptions, writeOciArchive } from './oci-archive.ts';
export type { ImageConfig } from './oci-documents.ts';
export { type PluginImageOptions, pluginImage } from './plugin-image.ts';
export { type Release, releaseConstant, releaseOf } from './release.ts';
export { storageBackports } from './storage-root.ts';
