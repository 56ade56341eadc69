export { type ArchiveWriter, type ArchiveWriterOptions, archiveWriter } from './archive-writer.ts';
export { archiveFormatVersion } from './format-version.ts';
export { gzipPieces } from './gzip/gzip-pieces.ts';
export { type GzipWriter, type GzipWriterOptions, gzipWriter } from './gzip/gzip-writer.ts';
export { inflate } from './gzip/inflate.ts';
export { type ItemPlace, itemPaths, type ParsedItemPath, parseItemPath } from './item-path.ts';
export { type ArchiveLimits, archiveLimitsDefault } from './read/archive-limits.ts';
export { type ArchiveEntry, type ReadArchiveOptions, readArchive } from './read/read-archive.ts';
export { type RewriteArchiveOptions, rewriteArchive } from './rewrite-archive.ts';
