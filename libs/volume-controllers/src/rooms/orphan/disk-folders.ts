import type { ReplicaFolder } from '@lateen/block-engine';
import type { Clock } from '@lateen/kernel';
import { within } from '../../hosts/host-calls.ts';
import type { HostDirectory } from '../../hosts/host-directory.ts';

/** A host has to read every folder to list them; all callers within this time get the same list. */
const listMs = 30_000;

/** Number of cached lists. */
const listsMax = 64;

/** The maximum number of folders in a list; further folders are left out. */
const foldersMax = 10_000;

/** Folders of replicas on disks, as their hosts list them. Memory: the lists of {@link listsMax} disks. */
export class DiskFolders {
  readonly #hosts: Pick<HostDirectory, 'host'>;
  readonly #clock: Clock;
  readonly #lists = new Map<string, { readonly atMs: number; readonly folders: readonly ReplicaFolder[] }>();

  constructor(hosts: Pick<HostDirectory, 'host'>, clock: Clock) {
    this.#hosts = hosts;
    this.#clock = clock;
  }

  /** `fresh`: lists the folders now; otherwise the list may be half a minute old. @throws HOST_UNREACHABLE; the signal's reason on abort */
  async on(
    node: string,
    path: string,
    options: { readonly fresh: boolean; readonly signal: AbortSignal },
  ): Promise<readonly ReplicaFolder[]> {
    const key = `${node} ${path}`;
    const kept = this.#lists.get(key);
    if (!options.fresh && kept !== undefined && this.#clock.monotonicMs() - kept.atMs < listMs) return kept.folders;
    const folders = await within(this.#clock, 'look', options.signal, async (call) => {
      const listed: ReplicaFolder[] = [];
      for await (const folder of this.#hosts.host(node).listReplicaFolders(path, call)) {
        listed.push(folder);
        if (listed.length >= foldersMax) break;
      }
      return listed;
    });
    const oldest = this.#lists.keys().next().value;
    if (this.#lists.size >= listsMax && oldest !== undefined) this.#lists.delete(oldest);
    this.#lists.set(key, { atMs: this.#clock.monotonicMs(), folders });
    return folders;
  }
}
