import type { Extent } from '@lateen/block-engine';
import type { BlockEngineUnderTest } from './block-engine-under-test.ts';

export const call = { signal: new AbortController().signal };
const by = 'conformance';

let names = 0;
/** Unique names, so that no two tests share a volume. */
export const freshName = (): string => `conformance-${++names}`;

/** Common steps of the tests. */
export class EngineHands {
  readonly under: BlockEngineUnderTest;

  constructor(under: BlockEngineUnderTest) {
    this.under = under;
  }

  async volume(bytes = this.under.volumeBytes): Promise<string> {
    const name = freshName();
    await this.under.engine.create({ name, sizeBytes: BigInt(bytes) }, call);
    return name;
  }

  async attach(volume: string): Promise<string> {
    return (await this.under.engine.attach(volume, this.under.node, { ...call, by })).devicePath;
  }

  detach(volume: string): Promise<void> {
    return this.under.engine.detach(volume, this.under.node, { ...call, by });
  }

  /** Writes through a device that is attached only for this. */
  async fill(volume: string, at: number, value: number, lengthBytes = 4096): Promise<void> {
    const device = await this.attach(volume);
    await this.under.write(device, at, new Uint8Array(lengthBytes).fill(value));
    await this.detach(volume);
  }

  /** The first byte at a position of the volume. */
  async byteAt(volume: string, at: number): Promise<number | undefined> {
    const device = await this.attach(volume);
    const [byte] = await this.under.read(device, at, 1);
    await this.detach(volume);
    return byte;
  }

  async snapshotBytes(volume: string, snapshot: string, at: number, lengthBytes: number): Promise<Uint8Array> {
    await using reader = await this.under.engine.openSnapshot(volume, snapshot, call);
    const bytes = new Uint8Array(lengthBytes);
    await reader.read(BigInt(at), bytes, call);
    return bytes;
  }

  async extents(volume: string, snapshot: string, o: { since?: string; startBytes?: bigint } = {}): Promise<Extent[]> {
    return Array.fromAsync(this.under.engine.extents(volume, snapshot, { ...call, ...o }));
  }
}
