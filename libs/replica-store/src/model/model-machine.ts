import { AppError } from '@lateen/errors';
import { replicaLimits } from '../limits.ts';

/** One value for each unit of 4 KiB that the image itself holds; 0 is zeros that were written. */
export interface ModelImage {
  sizeBytes: bigint;
  backingFile: string | undefined;
  readonly units: Map<number, number>;
  extendedL2: boolean;
  /** Its header cannot be read. */
  isBroken: boolean;
  corruptions: number;
  /** Counts the writes to its file; the model reports it as the file's modification time. */
  modifiedMs: number;
}

export interface ModelMerge {
  readonly child: ModelImage;
  readonly into: ModelImage;
  readonly intoFile: string;
  readonly left: number[];
  readonly totalUnits: number;
}

interface OpenLayer {
  readonly file: string;
  readonly image: ModelImage;
}

/** What a daemon has open. A kill discards all of it, and everything in the files that was not flushed. */
export class ModelDaemon {
  chain: OpenLayer[] = [];
  readonly added = new Map<string, ModelImage>();
  headExport: string | undefined;
  readonly layerExports = new Map<string, { readonly name: string; readonly images: readonly ModelImage[] }>();
  merge: ModelMerge | undefined;

  /** Copies one unit of the running merge; at its end the child leaves the chain and the layer above names the file of `into`. */
  advance(): void {
    const { merge } = this;
    if (merge === undefined) return;
    const at = merge.left.shift();
    if (at !== undefined) merge.into.units.set(at, merge.child.units.get(at) ?? 0);
    merge.into.modifiedMs += 1;
    if (merge.left.length > 0) return;
    this.merge = undefined;
    const place = this.chain.findIndex(({ image }) => image === merge.child);
    const above = this.chain[place - 1];
    if (above === undefined) return;
    above.image.backingFile = merge.intoFile;
    above.image.modifiedMs += 1;
    this.chain.splice(place, 1);
  }
}

/** What an image and those below it read as. Beyond the end of a lower image it reads zeros. */
export function readUnit(chain: readonly ModelImage[], unit: number): number {
  for (const image of chain) {
    if (unit >= unitsOf(image)) return 0;
    const value = image.units.get(unit);
    if (value !== undefined) return value;
  }
  return 0;
}

export const unitsOf = (image: ModelImage): number => Number(image.sizeBytes) / replicaLimits.unitBytes;

/** One replica's folder and the daemon beside it. Exact in units of 4 KiB: what the images hold is what the volume reads as. */
export class ModelMachine {
  readonly images = new Map<string, ModelImage>();
  #unflushed: { image: ModelImage; unit: number; before: number | undefined }[] = [];
  readonly texts = new Map<string, string>();
  daemon: ModelDaemon | undefined = new ModelDaemon();
  freeBytes = 1024 ** 4;
  /** Every flush fails while this is set. */
  isDiskFailing = false;

  /** An engine's write, through the export of the head. False when the head is not exported. */
  write(unit: number, value: number): boolean {
    const head = this.daemon?.headExport === undefined ? undefined : this.daemon.chain[0];
    if (head === undefined) return false;
    this.#unflushed.push({ image: head.image, unit, before: head.image.units.get(unit) });
    head.image.units.set(unit, value);
    head.image.modifiedMs += 1;
    return true;
  }

  killDaemon(): void {
    this.lose();
    this.daemon = undefined;
  }

  /** Makes all writes durable, or only those to this image. */
  flush(image?: ModelImage): void {
    this.#unflushed = this.#unflushed.filter((one) => image !== undefined && one.image !== image);
  }

  /** Discards what was written since the last flush. */
  lose(): void {
    for (const { image, unit, before } of this.#unflushed.reverse()) {
      if (before === undefined) image.units.delete(unit);
      else image.units.set(unit, before);
    }
    this.flush();
  }

  startDaemon(): void {
    this.daemon = new ModelDaemon();
  }

  image(file: string): ModelImage {
    const found = this.images.get(file);
    if (found === undefined) throw new AppError('IMAGE_BROKEN', `${file} is not there`);
    return found;
  }

  /** @throws AppError `DAEMON_GONE` */
  running(): ModelDaemon {
    if (this.daemon === undefined) throw new AppError('DAEMON_GONE', 'the daemon is dead');
    return this.daemon;
  }
}
