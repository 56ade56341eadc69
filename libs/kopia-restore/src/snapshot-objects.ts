import { chunksOf, folderEntries, type KopiaRepository, type ObjectId, readObject } from '@lateen/kopia-format';
import type { ObjectChunk } from './content-slice.ts';
import type { FolderSource } from './folders-ahead.ts';
import type { ObjectPorts } from './slice-batches.ts';

type Repository = Pick<KopiaRepository, 'locate' | 'readContent'>;

/** Objects and contents of an open repository, as a restore asks for them. */
export function snapshotObjects(repository: Repository): ObjectPorts {
  return {
    locate: (contentIds, signal) => repository.locate(contentIds, signal),
    chunksOf: (objectId, signal) => chunksFrom(repository, objectId, 0, signal),
  };
}

export function snapshotFolders(repository: Repository, signal: AbortSignal): FolderSource {
  return {
    read: (objectId) => folderEntries(readObject(objectId, contentReader(repository), signal)),
    sizesOf: async (objectIds) => {
      const ofOneContent = objectIds.filter(({ indirection }) => indirection === 0);
      const ids = ofOneContent.map(({ contentId }) => contentId);
      const locations = await repository.locate(ids, signal);
      const sizes = new Map(ofOneContent.map((objectId, at) => [objectId, locations[at]?.originalLength]));
      return objectIds.map((objectId) => sizes.get(objectId));
    },
  };
}

const contentReader = (repository: Repository) => (contentId: string, signal: AbortSignal) =>
  repository.readContent(contentId, signal);

/** The contents of an object that begins at `start`, with the pieces of its pieces. */
async function* chunksFrom(
  repository: Repository,
  { contentId, indirection }: ObjectId,
  start: number,
  signal: AbortSignal,
): AsyncGenerator<readonly ObjectChunk[], void, undefined> {
  if (indirection === 0) {
    yield [{ contentId, offset: start }];
    return;
  }
  const list = readObject({ contentId, indirection: indirection - 1 }, contentReader(repository), signal);
  for await (const pieces of chunksOf(list)) {
    let direct: ObjectChunk[] = [];
    for (const { start: within, objectId } of pieces) {
      if (objectId.indirection === 0) direct.push({ contentId: objectId.contentId, offset: start + within });
      else {
        yield direct;
        direct = [];
        yield* chunksFrom(repository, objectId, start + within, signal);
      }
    }
    yield direct;
  }
}
