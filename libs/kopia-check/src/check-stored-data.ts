import { isAppError } from '@lateen/errors';
import { eachAtOnce, type Random } from '@lateen/kernel';
import type { ContentLocation, KopiaRepository } from '@lateen/kopia-format';
import type { PackReader } from '@lateen/pack-reader';
import type { VerifyContents } from './content-verifier.ts';
import { Damages, lostIn } from './damage.ts';
import { packGroups } from './pack-group.ts';
import { whoNeeds } from './who-needs.ts';

export interface StoredDataPorts {
  repository: KopiaRepository;
  reader: PackReader;
  /** The packs that are in the bucket, by name, with their sizes. Asked after the index has been read, and again when one is missing. */
  listPacks(signal: AbortSignal): Promise<ReadonlyMap<string, number>>;
  verify: VerifyContents;
  random: Random;
}

export interface StoredDataOptions {
  /** Of the packs, above 0. */
  percent: number;
  /** How many contents have been checked, of how many at most. */
  onProgress(done: number, total: number): void;
  /** Told of each finding, a sentence. */
  onProblem(text: string): void;
  signal: AbortSignal;
}

/** Packs that are worked on at the same time; the reader bounds requests and memory. */
const packsAtOnce = 8;

/**
 * Checks that every content exists, and reads those of a number of random packs. Damage is reported, not thrown.
 * @returns how many contents there are
 * @throws REPOSITORY_FORMAT_UNSUPPORTED, before anything is told; the store's errors, the signal's reason
 */
export async function checkStoredData(ports: StoredDataPorts, options: StoredDataOptions): Promise<number> {
  const check = new StoredDataCheck(ports, options);
  for await (const packs of packGroups(ports.repository, options.signal))
    await eachAtOnce([...packs], packsAtOnce, ([packId, contents]) => check.pack(packId, contents));
  await check.tell();
  return check.contents;
}

class StoredDataCheck {
  readonly #ports: StoredDataPorts;
  readonly #options: StoredDataOptions;
  readonly #damages = new Damages();
  #packs: Promise<ReadonlyMap<string, number>> | undefined;
  #contents = 0;

  constructor(ports: StoredDataPorts, options: StoredDataOptions) {
    this.#ports = ports;
    this.#options = options;
  }

  get contents(): number {
    return this.#contents;
  }

  async pack(packId: string, contents: readonly ContentLocation[]): Promise<void> {
    const { random } = this.#ports;
    const { percent, onProgress, signal } = this.#options;
    this.#packs ??= this.#ports.listPacks(signal);
    const size = (await this.#packs).get(packId);
    const isChosen = random.next() * 100 < percent;
    const there = contents.filter(({ offset, length }) => size !== undefined && offset + length <= size);
    if (there.length < contents.length) await this.#lost(packId, without(contents, there), how(size));
    if (isChosen && there.length > 0) await this.#read(packId, there);
    this.#contents += contents.length;
    onProgress(this.#contents, Math.max(this.#contents, this.#ports.repository.contentsMax));
  }

  /** Says what was found, and who needs it. */
  async tell(): Promise<void> {
    const { onProblem, signal } = this.#options;
    const { listed, count } = this.#damages;
    const needed = await whoNeeds(this.#ports.repository, listed, signal);
    for (const [index, { text }] of listed.entries()) onProblem(`${text}; ${needed[index] ?? ''}`);
    if (count > listed.length) onProblem(`${count - listed.length} more contents or packs are damaged`);
  }

  async #read(packId: string, contents: readonly ContentLocation[]): Promise<void> {
    const { reader, verify } = this.#ports;
    const { signal } = this.#options;
    try {
      await reader.readAll(
        contents,
        async ({ bytes, offset, slices }) => {
          for (const { location, why } of await verify({ bytes, offset, contents: slices }))
            this.#damages.add({ text: why, contentIds: [location.contentId] });
        },
        signal,
      );
    } catch (error) {
      signal.throwIfAborted();
      const isGone = isAppError(error, 'OBJECT_NOT_FOUND');
      if (!isGone && !isAppError(error, 'PACK_CUT')) throw error;
      await this.#lost(packId, contents, isGone ? how(undefined) : how(0));
    }
  }

  /** Maintenance may have moved contents since the index was read: what is elsewhere by now is not lost. */
  async #lost(packId: string, contents: readonly ContentLocation[], what: string): Promise<void> {
    const { repository } = this.#ports;
    const { signal } = this.#options;
    await repository.refresh(signal);
    const ids = contents.map(({ contentId }) => contentId);
    const now = await repository.locate(ids, signal);
    const still = contents.filter((_, index) => now[index]?.packId === packId);
    if (still.length > 0) this.#damages.add(lostIn(packId, still, what));
  }
}

const how = (size: number | undefined) => (size === undefined ? 'is missing' : 'is shorter than its index says');

function without(all: readonly ContentLocation[], some: readonly ContentLocation[]): ContentLocation[] {
  const left = new Set(some);
  return all.filter((content) => !left.has(content));
}
