import type { DataRun } from '@lateen/file-extents';

/** For tests: a file system in memory, whose blocks are one byte long. */
export class ModelFileSystem {
  readonly device: number[];
  /** Block n of a file: its place on the device, `zero` of a hole, or `unwritten`. */
  readonly files = new Map<string, { sizeBytes: number; blocks: (number | 'zero' | 'unwritten')[] }>();
  #next: (below: number) => number;

  constructor(blocks: number, next: (below: number) => number) {
    this.#next = next;
    this.device = Array.from({ length: blocks }, () => next(4));
  }

  clone(): ModelFileSystem {
    const copy = new ModelFileSystem(0, this.#next);
    copy.device.push(...this.device);
    for (const [name, file] of this.files) copy.files.set(name, structuredClone(file));
    return copy;
  }

  content(name: string): number[] {
    const { blocks, sizeBytes } = this.#file(name);
    return blocks.slice(0, sizeBytes).map((block) => (typeof block === 'number' ? (this.device[block] ?? 0) : 0));
  }

  /** As FIEMAP tells it: neighbours are one run. */
  runs(name: string): DataRun[] {
    const runs: DataRun[] = [];
    this.#file(name).blocks.forEach((block, at) => {
      if (block === 'zero') return;
      const home = block === 'unwritten' ? undefined : block;
      const last = runs.at(-1);
      const joins = last?.endBytes === at && last.home !== undefined && last.home + at - last.startBytes === home;
      if (joins) last.endBytes = at + 1;
      else runs.push({ startBytes: at, endBytes: at + 1, home });
    });
    return runs;
  }

  /** One random operation. A full device fails it, and that is all. */
  act(): void {
    const names = [...this.files.keys()];
    const name = names[this.#next(names.length)];
    const kind = this.#next(11);
    if (name === undefined || kind === 0) {
      this.#create(`file${this.#next(3)}`);
      return;
    }
    const file = this.#file(name);
    const from = this.#next(file.blocks.length + 2);
    const length = 1 + this.#next(5);
    const other = names[this.#next(names.length)] ?? name;
    const acts = [
      () => this.#overwrite(name, from, length),
      () => this.#overwrite(name, from, length),
      () => this.#truncate(name, from),
      () => this.#truncate(name, file.blocks.length + length),
      () => this.#set(name, from, length, 'zero'),
      () => this.#set(name, from, length, 'unwritten'),
      () => file.blocks.splice(from, length) && this.#truncate(name, file.blocks.length),
      // Rename over another, or the same.
      () => this.files.delete(name) && this.files.set(other, file),
      // A reflink copy.
      () => this.files.set(other, structuredClone(file)),
      // Defragmentation: other places, the same bytes.
      () => this.#move(name),
    ];
    acts[kind - 1]?.();
  }

  #file(name: string) {
    return this.files.get(name) ?? { sizeBytes: 0, blocks: [] };
  }

  #create(name: string): void {
    this.files.set(name, { sizeBytes: 0, blocks: [] });
    this.#overwrite(name, 0, 4 + this.#next(8));
  }

  #free(): number | undefined {
    const used = new Set([...this.files.values()].flatMap(({ blocks }) => blocks));
    const free = [...this.device.keys()].filter((block) => !used.has(block));
    return free[this.#next(free.length)];
  }

  #overwrite(name: string, from: number, length: number): void {
    const file = this.#file(name);
    while (file.blocks.length < from) file.blocks.push('zero');
    for (let at = from; at < from + length; at++) {
      const there = file.blocks[at];
      // A shared block is never written to.
      const isOwn = typeof there === 'number' && !this.#isShared(there);
      const block = isOwn ? there : this.#free();
      if (block === undefined) break;
      file.blocks[at] = block;
      this.device[block] = this.#next(4);
    }
    file.sizeBytes = file.blocks.length;
  }

  #isShared(block: number): boolean {
    return [...this.files.values()].flatMap(({ blocks }) => blocks).filter((one) => one === block).length > 1;
  }

  #truncate(name: string, length: number): void {
    const file = this.#file(name);
    file.blocks.length = Math.min(length, file.blocks.length);
    while (file.blocks.length < length) file.blocks.push('zero');
    file.sizeBytes = length;
  }

  #set(name: string, from: number, length: number, what: 'zero' | 'unwritten'): void {
    const { blocks } = this.#file(name);
    for (let at = from; at < Math.min(from + length, blocks.length); at++) blocks[at] = what;
  }

  #move(name: string): void {
    const { blocks } = this.#file(name);
    blocks.forEach((block, at) => {
      const to = typeof block === 'number' ? this.#free() : undefined;
      if (to === undefined) return;
      this.device[to] = this.device[block as number] ?? 0;
      blocks[at] = to;
    });
  }
}
