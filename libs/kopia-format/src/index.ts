export { type ContentHash, contentHash } from './content-hash.ts';
export type { ContentKeys } from './content-keys.ts';
export type { ContentLocation } from './content-location.ts';
export { contentMissing } from './content-missing.ts';
export { contentDecoder, type DecodeContent } from './decode-content.ts';
export type { KopiaRepository } from './kopia-repository.ts';
export type { Manifest } from './manifests/manifest.ts';
export { snapshotRoot } from './manifests/snapshot-root.ts';
export { chunksOf, type ObjectChunk } from './objects/chunks.ts';
export {
  type ChunkLayout,
  type ChunkRun,
  chunkCount,
  chunkLength,
  chunksIn,
  fixedChunkBytes,
  fixedChunks,
  unchangedChunks,
} from './objects/fixed-chunks.ts';
export { folderEntries } from './objects/folder-entries.ts';
export { type FolderEntry, type FolderTree, folderEntry } from './objects/folder-entry.ts';
export type { Pieces } from './objects/json-entries.ts';
export { type ObjectId, parseObjectId } from './objects/object-id.ts';
export { type ReadContent, readObject } from './objects/read-object.ts';
export { type OpenKopiaRepositoryOptions, openKopiaRepository } from './open-kopia-repository.ts';
export type { RepositoryStore } from './repository-store.ts';
