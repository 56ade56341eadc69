import type { ModelDevices } from './model-manager.ts';

const blockBytes = 4096;

/** Blocks with data, by number. */
type Content = Map<number, Uint8Array>;

interface MemoryVolume {
  sizeBytes: bigint;
  content: Content;
  node: string | undefined;
}

/** Volumes in memory, with their devices and snapshots. */
export class MemoryDevices implements ModelDevices {
  readonly #volumes = new Map<string, MemoryVolume>();
  readonly #snapshots = new Map<string, Content>();

  async make(volume: string, sizeBytes: bigint, from?: { volume: string; snapshot?: string }): Promise<void> {
    const source =
      from?.snapshot === undefined
        ? this.#volumes.get(from?.volume ?? '')?.content
        : this.contentOf(from.volume, from.snapshot);
    this.#volumes.set(volume, { sizeBytes, content: copyOf(source ?? new Map()), node: undefined });
  }

  async grow(volume: string, sizeBytes: bigint): Promise<void> {
    this.#volume(volume).sizeBytes = sizeBytes;
  }

  async remove(volume: string): Promise<void> {
    this.#volumes.delete(volume);
    for (const key of this.#snapshots.keys()) if (key.startsWith(`${volume}/`)) this.#snapshots.delete(key);
  }

  async attach(volume: string, node: string): Promise<void> {
    this.#volume(volume).node = node;
  }

  async detach(volume: string): Promise<void> {
    this.#volume(volume).node = undefined;
  }

  async snapshot(volume: string, snapshot: string): Promise<void> {
    this.#snapshots.set(`${volume}/${snapshot}`, copyOf(this.#volume(volume).content));
  }

  async removeSnapshot(volume: string, snapshot: string): Promise<void> {
    this.#snapshots.delete(`${volume}/${snapshot}`);
  }

  async revert(volume: string, snapshot: string): Promise<void> {
    this.#volume(volume).content = copyOf(this.contentOf(volume, snapshot));
  }

  /** @throws Error for a missing one */
  contentOf(volume: string, snapshot: string): Content {
    const found = this.#snapshots.get(`${volume}/${snapshot}`);
    if (found === undefined) throw new Error(`no data of snapshot ${volume}/${snapshot}`);
    return found;
  }

  /** `device` ends with the name of its volume. @throws Error when it is not attached */
  async write(device: string, at: number, bytes: Uint8Array): Promise<void> {
    const { content } = this.#device(device);
    for (let done = 0; done < bytes.length; ) {
      const [number, offset] = [Math.floor((at + done) / blockBytes), (at + done) % blockBytes];
      const part = bytes.subarray(done, done + blockBytes - offset);
      const block = content.get(number) ?? new Uint8Array(blockBytes);
      block.set(part, offset);
      content.set(number, block);
      done += part.length;
    }
  }

  async read(device: string, at: number, lengthBytes: number): Promise<Uint8Array> {
    return readContent(this.#device(device).content, at, lengthBytes);
  }

  async deviceBytes(device: string): Promise<number> {
    return Number(this.#device(device).sizeBytes);
  }

  #device(device: string): MemoryVolume {
    const volume = this.#volume(device.split('/').at(-1) ?? '');
    if (volume.node === undefined) throw new Error(`there is no device ${device}`);
    return volume;
  }

  #volume(name: string): MemoryVolume {
    const found = this.#volumes.get(name);
    if (found === undefined) throw new Error(`no data of volume ${name}`);
    return found;
  }
}

const copyOf = (content: Content): Content => new Map([...content].map(([at, block]) => [at, Uint8Array.from(block)]));

export function readContent(content: Content, at: number, lengthBytes: number): Uint8Array {
  const bytes = new Uint8Array(lengthBytes);
  for (let done = 0; done < lengthBytes; ) {
    const [number, offset] = [Math.floor((at + done) / blockBytes), (at + done) % blockBytes];
    const part = (content.get(number) ?? new Uint8Array(blockBytes)).subarray(offset, offset + lengthBytes - done);
    bytes.set(part, done);
    done += part.length;
  }
  return bytes;
}
