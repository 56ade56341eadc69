import { type Call, type DiskFacts, hostError } from '@lateen/block-engine';
import { describeError } from '@lateen/errors';
import { durationText, type MountEntry, type Random, semaphore, unlessAborted } from '@lateen/kernel';
import { type Host, readMounts, runQuick } from '@lateen/volume';
import { type DiskAbilities, tryDisk } from './disk-abilities.ts';
import { readDiskIdentity, registerDisk } from './disk-config.ts';
import type { HostPaths } from './host-paths.ts';

export interface DiskHostPorts {
  host: Host;
  paths: HostPaths;
  random: Random;
}

/** Limit of known disks: each disk that was requested once is inspected again with every request for the node's state. */
const disksMax = 64;
/** A disk that hangs keeps one of these slots as long as it hangs. */
const atOnceMax = 16;
/** Shorter than callers wait for the node's state: one disk that hangs must not delay the whole answer. */
const lookMs = 10_000;

interface Looking {
  readonly facts: Promise<DiskFacts>;
  /** Monotonic time from which callers no longer wait for it. */
  readonly lateMs: number;
}

/** The directories of this node that hold replicas. */
export class DiskHost {
  readonly #ports: DiskHostPorts;
  /** As they were requested: callers compare the text. */
  readonly #known = new Set<string>();
  /** By path and file system: the abilities of a file system do not change while it is mounted. */
  readonly #abilities = new Map<string, DiskAbilities>();
  /** By path. A disk is not inspected again before the last inspection has ended: each would block one of the few threads for files. */
  readonly #looking = new Map<string, Looking>();
  readonly #turn = semaphore({
    placesMax: atOnceMax,
    waitingMax: disksMax,
    full: () => hostError('ABORTED', 'disks are being looked at'),
  });

  constructor(ports: DiskHostPorts) {
    this.#ports = ports;
  }

  /** All disks that were requested since the start. */
  all(o: Call): Promise<readonly DiskFacts[]> {
    return Promise.all([...this.#known].map((path) => this.inspect(path, o)));
  }

  /** A problem of the disk does not reject: it is in `error`. @throws `INVALID_ARGUMENT`; the signal's reason on abort */
  async inspect(path: string, { signal }: Call): Promise<DiskFacts> {
    const here = this.#ports.paths.here(path, 'the path of a disk');
    if (this.#known.size < disksMax) this.#known.add(path);
    const { clock } = this.#ports.host;
    const { facts, lateMs } = this.#looking.get(path) ?? this.#begin(path, here);
    const leftMs = lateMs - clock.monotonicMs();
    const wait = () => unlessAborted(facts, AbortSignal.any([signal, clock.deadline(leftMs)]));
    const found = leftMs > 0 ? await wait() : undefined;
    signal.throwIfAborted();
    return found ?? broken(path, `it has not answered for ${durationText(lookMs)}`);
  }

  #begin(path: string, here: string): Looking {
    const facts = this.#facts(path, here).finally(() => this.#looking.delete(path));
    const looking = { facts, lateMs: this.#ports.host.clock.monotonicMs() + lookMs };
    this.#looking.set(path, looking);
    return looking;
  }

  /** Shared by concurrent callers; continues when they are gone. Never rejects. */
  async #facts(path: string, here: string): Promise<DiskFacts> {
    const ends = this.#ports.host.clock.deadline(lookMs);
    try {
      const release = await this.#turn.take(ends);
      try {
        return await this.#look(path, here, ends);
      } finally {
        release();
      }
    } catch (error) {
      return broken(path, describeError(error));
    }
  }

  async register(path: string, uuid: string): Promise<void> {
    await registerDisk(this.#ports.host.files, this.#ports.paths.here(path, 'the path of a disk'), uuid);
  }

  /** Whether images on this disk can be opened with direct I/O. */
  async canDirectIo(directory: string, signal: AbortSignal): Promise<boolean> {
    const { filesystemId } = await this.#fileSystem(directory, signal);
    return (await this.#tried(directory, filesystemId)).directIo;
  }

  async #look(path: string, here: string, signal: AbortSignal): Promise<DiskFacts> {
    const { host } = this.#ports;
    // One step after the other: a disk that hangs blocks one of the four threads for files.
    const fileSystem = await this.#fileSystem(here, signal);
    const space = await host.files.space(here);
    const identity = await readDiskIdentity(host.files, here);
    const abilities = await this.#tried(here, fileSystem.filesystemId);
    return {
      path,
      ...fileSystem,
      ...abilities,
      maximumBytes: BigInt(space.totalBytes),
      availableBytes: BigInt(space.availableBytes),
      ...(identity.kind === 'known' ? { uuid: identity.uuid } : {}),
      ...(identity.kind === 'unreadable' ? { error: identity.error } : {}),
    };
  }

  async #fileSystem(here: string, signal: AbortSignal) {
    const { host } = this.#ports;
    const { stdout } = await runQuick(host, signal, 'stat', ['--file-system', '--format=%i', here]);
    const mount = mountOf(await readMounts(host), here);
    return { filesystemId: stdout.trim(), filesystemType: mount?.fileSystem ?? '' };
  }

  async #tried(here: string, filesystemId: string): Promise<DiskAbilities> {
    const key = `${filesystemId} ${here}`;
    const known = this.#abilities.get(key);
    if (known !== undefined) return known;
    const tried = await tryDisk(here, this.#ports.random);
    if (this.#abilities.size >= disksMax) this.#abilities.clear();
    this.#abilities.set(key, tried);
    return tried;
  }
}

const broken = (path: string, what: string): DiskFacts => ({
  ...nothing,
  path,
  error: { code: 'DISK_IO', message: `${path}: ${what}`, nextStep: 'Check that it is mounted and healthy.' },
});

const nothing = {
  filesystemId: '',
  filesystemType: '',
  maximumBytes: 0n,
  availableBytes: 0n,
  directIo: false,
  sparseFiles: false,
} as const;

/** The mount that a path is on: the longest mount point above it; of two at the same place, the later one. */
function mountOf(mounts: readonly MountEntry[], path: string): MountEntry | undefined {
  const above = mounts.filter(
    ({ mountPoint }) => mountPoint === '/' || path === mountPoint || path.startsWith(`${mountPoint}/`),
  );
  return above.reduce<MountEntry | undefined>(
    (best, one) => (best === undefined || one.mountPoint.length >= best.mountPoint.length ? one : best),
    undefined,
  );
}
