import { type OpenArchiveOptions, openArchive } from '@lateen/archive';
import type { Logger } from '@lateen/kernel';
import type { Catalog } from '../engine/contract.ts';
import { CatalogBuilder } from './catalog-builder.ts';

export interface ReadCatalogOptions extends Omit<OpenArchiveOptions, 'onEntry'> {
  /** Objects that are none are warnings here. */
  log: Logger;
}

/**
 * Reads an archive once and makes the catalog of the objects in it; `close` lets go of what is kept of the archive.
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
