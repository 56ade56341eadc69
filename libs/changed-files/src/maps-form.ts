import type { DataRun } from '@lateen/file-extents';
import type { FileState } from './file-state.ts';
import type { StoredMaps } from './stored-maps.ts';

/**
 * The form of maps in bytes, before they are compressed: the length of a head, the head as JSON, and the runs of all files as three
 * columns of varints: gap to the end of the run before, length, place. Numbers are in units of the head, which is the block of the
 * file system: so a run takes about five bytes.
 */
interface Head {
  device: [sizeBytes: number, fileSystemID: string];
  /** What divides all numbers of the columns. */
  unit: number;
  leftOut: number;
  /** `cutBytes`: the last run ends with the file, so many bytes before the end of its block. */
  files: [path: string, sizeBytes: number, mtimeNs: string, runs: number, cutBytes: number][];
}

export function mapsToBytes({ device, files, leftOut }: StoredMaps): Uint8Array {
  const unit = unitOf(files);
  const gaps: number[] = [];
  const lengths: number[] = [];
  const places: number[] = [];
  const head: Head = { device: [device.sizeBytes, device.fileSystemID], unit, leftOut, files: [] };
  for (const { path, sizeBytes, mtimeNs, runs } of files) {
    let [end, homeEnd] = [0, 0];
    const last = runs.at(-1)?.endBytes ?? 0;
    head.files.push([path, sizeBytes, String(mtimeNs), runs.length, Math.ceil(last / unit) * unit - last]);
    for (const { startBytes, endBytes, home } of runs) {
      putVarint(gaps, (startBytes - end) / unit);
      const length = Math.ceil((endBytes - startBytes) / unit);
      putVarint(lengths, length);
      putVarint(places, home === undefined ? 0 : 1 + folded((home - homeEnd) / unit));
      end = endBytes;
      if (home !== undefined) homeEnd = home + length * unit;
    }
  }
  const text = Buffer.from(JSON.stringify(head));
  const length: number[] = [];
  putVarint(length, text.length);
  return Buffer.concat([Buffer.from(length), text, ...[gaps, lengths, places].map((each) => Buffer.from(each))]);
}

/** @throws RangeError, SyntaxError, TypeError for bytes that {@link mapsToBytes} has not made */
export function mapsFromBytes(bytes: Uint8Array): StoredMaps {
  const reader = new VarintReader(bytes);
  const head = JSON.parse(Buffer.from(reader.take(reader.next())).toString('utf8')) as Partial<Head>;
  const { device: [sizeBytes, fileSystemID] = [], unit, leftOut, files = [] } = head;
  if (!isSize(sizeBytes) || typeof fileSystemID !== 'string' || !isSize(unit) || unit === 0 || !isSize(leftOut))
    throw new RangeError('no head of maps');
  const count = files.reduce((sum, [, , , runs]) => sum + sizeIn(runs), 0);
  const [gaps, lengths, places] = [reader.list(count), reader.list(count), reader.list(count)];
  reader.end();
  let at = 0;
  const states = files.map(([path, size, mtimeNs, runs, cutBytes]): FileState => {
    if (typeof path !== 'string' || !/^-?\d{1,20}$/.test(mtimeNs)) throw new RangeError('no file');
    const from = at;
    at += runs;
    const columns = [gaps, lengths, places].map((each) => each.slice(from, at));
    return { path, sizeBytes: sizeIn(size), mtimeNs: BigInt(mtimeNs), runs: runsOf(columns, unit, sizeIn(cutBytes)) };
  });
  return { device: { sizeBytes, fileSystemID }, leftOut, files: states };
}

function runsOf([gaps = [], lengths = [], places = []]: number[][], unit: number, cutBytes: number): DataRun[] {
  const runs: DataRun[] = [];
  let [end, homeEnd] = [0, 0];
  lengths.forEach((length, at) => {
    const startBytes = sizeIn(end + sizeIn(gaps[at]) * unit);
    const isLast = at === lengths.length - 1;
    const endBytes = sizeIn(startBytes + length * unit - (isLast ? cutBytes : 0));
    if (endBytes <= startBytes) throw new RangeError('a run without bytes');
    const place = sizeIn(places[at]);
    const home = place === 0 ? undefined : sizeIn(homeEnd + unfolded(place - 1) * unit);
    runs.push({ startBytes, endBytes, home });
    end = endBytes;
    if (home !== undefined) homeEnd = home + length * unit;
  });
  return runs;
}

/** The greatest common divisor of all numbers but the end of the last run of a file, which may be that of the file. */
function unitOf(files: readonly FileState[]): number {
  let unit = 0;
  for (const { runs } of files)
    runs.forEach(({ startBytes, endBytes, home = 0 }, at) => {
      for (const each of [startBytes, home, at === runs.length - 1 ? 0 : endBytes]) unit = divisor(unit, each);
    });
  return unit === 0 ? 1 : unit;
}

const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));

/** Negative numbers between the others: small ones of both signs are short. */
const folded = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value);
const unfolded = (value: number): number => (value % 2 === 0 ? value / 2 : -(value + 1) / 2);

const isSize = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

function sizeIn(value: unknown): number {
  if (!isSize(value)) throw new RangeError('no size');
  return value;
}

/** Numbers may have more than 32 bits, so no operators of bits. */
function putVarint(into: number[], value: number): void {
  let left = value;
  for (; left >= 128; left = Math.floor(left / 128)) into.push((left % 128) + 128);
  into.push(left);
}

class VarintReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  take(length: number): Uint8Array {
    const from = this.#at;
    this.#at += length;
    if (this.#at > this.#bytes.length) throw new RangeError('it ends too early');
    return this.#bytes.subarray(from, this.#at);
  }

  next(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const [byte = 0] = this.take(1);
      value += (byte % 128) * factor;
      if (byte < 128) return sizeIn(value);
    }
  }

  list(count: number): number[] {
    // Each takes a byte at least, so a wrong count ends here and takes no memory.
    if (count > this.#bytes.length) throw new RangeError('it ends too early');
    return Array.from({ length: count }, () => this.next());
  }

  end(): void {
    if (this.#at !== this.#bytes.length) throw new RangeError('it continues after its end');
  }
}
