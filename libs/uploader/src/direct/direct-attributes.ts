import { AppError } from '@lateen/errors';
import type { DirectRestore } from '@lateen/kopia-restore';
import { attributesTag, manifestFileName } from '../attributes/attribute-snapshot.ts';
import { type AttributeSource, isManifest } from '../attributes/attribute-source.ts';
import { taggedSnapshotOf } from '../attributes/snapshot-list.ts';
import { directFailure } from './direct-failure.ts';

/** Reads attribute manifests directly from the repository, without the engine. */
export function directAttributes(direct: DirectRestore): AttributeSource {
  return {
    find: async (key, signal) => {
      const labels = { type: 'snapshot', [`tag:${attributesTag}`]: key };
      const found = await direct.findManifests(labels, signal);
      return found.flatMap(({ id, data }) => taggedSnapshotOf({ ...(data as object), id }) ?? []).find(isManifest);
    },
    read: async ({ rootObject }, take, signal) => {
      try {
        const objectId = await direct.fileIn(rootObject, manifestFileName, signal);
        if (objectId === undefined)
          throw new AppError('CONTENT_MISSING', `there is no ${manifestFileName} in the snapshot`);
        for await (const piece of direct.readObject(objectId, signal)) await take(piece);
      } catch (error) {
        throw directFailure(error, direct);
      }
    },
  };
}
