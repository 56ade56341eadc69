import { type OpenArchiveOptions, openArchive } from '@lateen/archive';
import type { Logger } from '@lateen/kernel';
import type { Catalog } from '../engine/contract.ts';
import { CatalogBuilder } from './catalog-builder.ts';

export interface ReadCatalogOptions extends Omit<OpenArchiveOptions, 'onEntry'> {
  /** Receives a warning for each entry that is not a valid object. */
  log: Logger;
}

/**
 * Reads an archive once and builds the catalog of its objects; `close` releases the data that is kept of the archive.
 * @throws what `openArchive` throws; nothing is kept then
 */
export async function readCatalog(
  pieces: AsyncIterable<Uint8Array>,
  { log, ...options }: ReadCatalogOptions,
): Promise<Catalog> {
  const builder = new CatalogBuilder(log);
  const archive = await openArchive(pieces, { ...options, onEntry: (entry) => builder.add(entry) });
  return builder.catalog(archive);
}
