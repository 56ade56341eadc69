import type { KopiaSession } from '@lateen/repository';
import { downloadFailures } from '../volume-failures.ts';
import { manifestFileName, type TaggedSnapshot } from './attribute-snapshot.ts';
import { listTaggedSnapshots } from './snapshot-list.ts';

/** Where attribute manifests are read from: the engine, or the repository itself. */
export interface AttributeSource {
  /** The manifest that belongs to a key; undefined when the repository has none. */
  find(key: string, signal: AbortSignal): Promise<TaggedSnapshot | undefined>;
  /** Passes the stored manifest to `take`, piece by piece. @throws UPLOADER_DATA_MISSING when its data is gone */
  read(manifest: TaggedSnapshot, take: (piece: Uint8Array) => Promise<void>, signal: AbortSignal): Promise<void>;
}

/** Reads manifests by runs of kopia. @throws as `listTaggedSnapshots` and `session.failure`; the signal's reason on abort */
export function engineAttributes(session: KopiaSession, volumePath: string): AttributeSource {
  return {
    find: async (key, signal) => {
      const found = await listTaggedSnapshots(session, key, signal);
      return found.find(isManifest);
    },
    read: async ({ rootObject }, take, signal) => {
      const exit = await session.run(['show', `${rootObject}/${manifestFileName}`], { signal, onStdout: take });
      signal.throwIfAborted();
      if (exit.exitCode !== 0)
        throw session.failure(exit, `restoring the attributes of ${volumePath}`, downloadFailures);
    },
  };
}

/** Whether the snapshot is an attribute manifest, and not the snapshot with the same key that it belongs to. */
export const isManifest = ({ isManifest: its, rootObject }: TaggedSnapshot): boolean => its && rootObject !== '';
