import { type Call, type EngineOf, type EngineSnapshot, hostError } from '@lateen/block-engine';
import type { Host } from '@lateen/volume';
import type { FrontendHost } from '../frontends/frontend-host.ts';
import { frozenWhile } from './frozen-while.ts';
import { mountPointOf, trimFileSystem } from './volume-mounts.ts';

export interface VolumeFilesPorts {
  host: Host;
  frontends: Pick<FrontendHost, 'deviceOf'>;
  /** Of programs. */
  path: string;
}

/** The file systems on the volumes that are attached here. */
export class VolumeFiles {
  readonly #ports: VolumeFilesPorts;

  constructor(ports: VolumeFilesPorts) {
    this.#ports = ports;
  }

  /** Runs `take`; if freezing is requested and a file system is mounted, it is frozen meanwhile. */
  async frozen<T>({ engine, freeze }: EngineSnapshot, { signal }: Call, take: () => Promise<T>): Promise<T> {
    const mountPoint = freeze ? await this.#mountPoint(engine, signal) : undefined;
    if (mountPoint === undefined) return await take();
    const { host, path } = this.#ports;
    return await frozenWhile({ mountPoint, path, clock: host.clock }, signal, take);
  }

  /** @throws AppError `NOT_POSSIBLE_NOW` when no file system is mounted */
  async trim({ engine }: EngineOf, { signal }: Call): Promise<bigint> {
    const mountPoint = await this.#mountPoint(engine, signal);
    if (mountPoint === undefined)
      throw hostError('NOT_POSSIBLE_NOW', `no file system of engine ${engine} is mounted on this node`, {
        nextStep: 'A block volume is trimmed by its user (blkdiscard).',
      });
    return await trimFileSystem(this.#ports.host, mountPoint, signal);
  }

  async #mountPoint(engine: string, signal: AbortSignal): Promise<string | undefined> {
    const device = await this.#ports.frontends.deviceOf(engine, signal);
    return device === undefined ? undefined : await mountPointOf(this.#ports.host, device, signal);
  }
}
