import { isAppError, quoted } from '@lateen/errors';
import {
  chunksOf,
  type FolderEntry,
  folderEntries,
  type KopiaRepository,
  type Manifest,
  type ObjectId,
  readObject,
  snapshotRoot,
} from '@lateen/kopia-format';
import type { Damage } from './damage.ts';

/** Files of a finding that are named, and snapshots. */
const namedMax = 3;

/** Folders deeper than any file system allows are damage too. */
export const depthMax = 4_000;

type Repository = Pick<KopiaRepository, 'readContent' | 'findManifests'>;

/** Who needs the contents of each finding, in the order of the findings; for people. Reads folders only, and each once. */
export async function whoNeeds(
  repository: Repository,
  damages: readonly Damage[],
  signal: AbortSignal,
): Promise<string[]> {
  if (damages.length === 0) return [];
  const needs = damages.map(() => new Needs());
  const byContent = new Map<string, Needs>();
  for (const [index, { contentIds }] of damages.entries())
    for (const id of contentIds) byContent.set(id, needs[index] ?? new Needs());
  const walk = new DamageWalk(repository, byContent, signal);
  let unread = 0;
  for (const manifest of await manifestsOf(repository, signal)) {
    if (manifest === undefined) unread += 1;
    else await walk.snapshot(manifest);
  }
  const rest = unread === 0 ? '' : ' (the list of snapshots cannot be read, so there may be more)';
  return needs.map((need) => need.text + rest);
}

/** Newest first; undefined when the list itself is damaged. */
async function manifestsOf(repository: Repository, signal: AbortSignal): Promise<(Manifest | undefined)[]> {
  try {
    return (await repository.findManifests({ type: 'snapshot' }, signal)).reverse();
  } catch (error) {
    if (isUnreadable(error)) return [undefined];
    throw error;
  }
}

/** Who needs one finding. */
class Needs {
  readonly #snapshots = new Map<string, { names: string[]; count: number }>();

  add(snapshot: string, path: string): void {
    const found = this.#snapshots.get(snapshot) ?? { names: [], count: 0 };
    this.#snapshots.set(snapshot, found);
    found.count += 1;
    if (found.names.length < namedMax) found.names.push(quoted(path));
  }

  get text(): string {
    if (this.#snapshots.size === 0) return 'no file of a snapshot needs it';
    const told = [...this.#snapshots].slice(0, namedMax).map(([snapshot, { names, count }]) => {
      return `${snapshot}: ${[...names, ...more(count - names.length)].join(', ')}`;
    });
    return `needed by ${[...told, ...more(this.#snapshots.size - told.length)].join('; ')}`;
  }
}

const more = (count: number): string[] => (count > 0 ? [`${count} more`] : []);

/** Codes of what is damaged itself. */
export const isUnreadable = (error: unknown): boolean =>
  ['CONTENT_CORRUPT', 'CONTENT_MISSING', 'SNAPSHOT_CORRUPT', 'OBJECT_NOT_FOUND', 'OBJECT_TOO_SHORT', 'PACK_CUT'].some(
    (code) => isAppError(error, code),
  );

class DamageWalk {
  readonly #repository: Repository;
  readonly #byContent: ReadonlyMap<string, Needs>;
  readonly #signal: AbortSignal;
  /** Objects in which nothing is damaged, as far as it goes. */
  readonly #whole = new Set<string>();

  constructor(repository: Repository, byContent: ReadonlyMap<string, Needs>, signal: AbortSignal) {
    this.#repository = repository;
    this.#byContent = byContent;
    this.#signal = signal;
  }

  async snapshot(manifest: Manifest): Promise<void> {
    const snapshot = nameOf(manifest);
    try {
      await this.#entry(snapshotRoot(manifest), '', snapshot, 0);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
    }
  }

  /** Whether anything in it is damaged. */
  async #entry(entry: FolderEntry, path: string, snapshot: string, depth: number): Promise<boolean> {
    const { objectId, type } = entry;
    if (objectId === undefined) return false;
    const key = `${objectId.indirection} ${objectId.contentId}`;
    if (this.#whole.has(key)) return false;
    let isDamaged = await this.#object(objectId, path || '/', snapshot);
    if (type === 'folder' && depth < depthMax)
      isDamaged = (await this.#folder(objectId, path, snapshot, depth)) || isDamaged;
    // Files of one content are as quickly looked up again.
    if (!isDamaged && (type === 'folder' || objectId.indirection > 0)) this.#whole.add(key);
    return isDamaged;
  }

  async #folder(objectId: ObjectId, path: string, snapshot: string, depth: number): Promise<boolean> {
    let isDamaged = false;
    try {
      for await (const entries of folderEntries(this.#bytes(objectId), { isPathAllowed: true })) {
        for (const entry of entries) {
          const below = path === '' ? entry.name : `${path}/${entry.name}`;
          isDamaged = (await this.#entry(entry, below, snapshot, depth + 1)) || isDamaged;
        }
      }
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      return true;
    }
    return isDamaged;
  }

  /** The object's own contents: its pieces, and the lists of them. */
  async #object(objectId: ObjectId, path: string, snapshot: string): Promise<boolean> {
    const { contentId, indirection } = objectId;
    const found = this.#byContent.get(contentId);
    found?.add(snapshot, path);
    if (indirection === 0 || found !== undefined) return found !== undefined;
    let isDamaged = false;
    try {
      for await (const chunks of chunksOf(this.#bytes({ contentId, indirection: indirection - 1 })))
        for (const chunk of chunks) isDamaged = (await this.#object(chunk.objectId, path, snapshot)) || isDamaged;
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      return true;
    }
    return isDamaged;
  }

  #bytes(objectId: ObjectId): AsyncGenerator<Uint8Array> {
    return readObject(objectId, (id, ends) => this.#repository.readContent(id, ends), this.#signal);
  }
}

/** `shop/data, snapshot k…, 2026-11-22T…`, as far as the manifest says it. */
function nameOf({ id, data }: Manifest): string {
  const { source, startTime } = (data ?? {}) as { source?: { path?: unknown }; startTime?: unknown };
  const path = typeof source?.path === 'string' ? source.path : 'a volume';
  return `snapshot ${id} of ${path}${typeof startTime === 'string' ? ` (${startTime})` : ''}`;
}
