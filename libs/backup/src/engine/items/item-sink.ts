import { type ArchiveWriter, itemPaths } from '@lateen/archive';
import type { ItemRecord, RecordedItem } from './item-record.ts';

/** Receives the objects to store. */
export interface ItemSink {
  /** @returns a promise when the archive is behind: await it before the next call. @throws after the archive has failed */
  put(item: RecordedItem, text: string): Promise<void> | undefined;
}

/** Writes each object to all its paths in the archive (object-store-layout.md section 4), and its name into the record. */
export function archiveSink(archive: ArchiveWriter, record: ItemRecord): ItemSink {
  return {
    put: (item, text) => {
      const { groupResource, type } = item.type;
      const { version, preferred } = type;
      const { namespace, name } = item;
      const place = namespace === undefined ? { groupResource, name } : { groupResource, namespace, name };
      let room: Promise<void> | undefined;
      for (const path of itemPaths({ ...place, version, preferred })) room = archive.add(path, text);
      record.stored(item);
      return room;
    },
  };
}
