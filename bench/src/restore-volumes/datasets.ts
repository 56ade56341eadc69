import type { TreeFile } from './tree-archive.ts';

const MiB = 1024 ** 2;

/** A data set that is backed up once and restored in every way. */
export interface Dataset {
  name: string;
  title: string;
  mode: 'Filesystem' | 'Block';
  /** Content of the first backup. For a block device one file with its bytes. */
  files(): Iterable<TreeFile>;
  /** Changes before each further backup; the last one is restored. */
  changes?: { generations: number; of(generation: number): Iterable<TreeFile> };
  /** Distance between the starts of two MiB of data in the file, with a hole between them. */
  stepBytes?: number;
}

/** Names of all data sets, for `--case`. */
export const datasetNames = ['small', 'demo', 'large', 'block', 'sparse', 'generations', 'millions'] as const;

/** @param scale 1 is the full size; less for a busy machine */
export function datasetOf(name: string, scale: number): Dataset {
  const scaled = (full: number) => Math.max(Math.round(full * scale), 1);
  const tree = { mode: 'Filesystem' } as const;
  switch (name) {
    case 'small': {
      const count = scaled(300_000);
      return { ...tree, name, title: `${count.toLocaleString('en')} × 100 B`, files: () => smallFiles(count) };
    }
    case 'millions': {
      const count = scaled(2_100_000);
      return { ...tree, name, title: `${count.toLocaleString('en')} × 100 B`, files: () => smallFiles(count) };
    }
    case 'demo': {
      const count = scaled(15_500);
      const title = `${Math.round((count * demoMeanBytes) / 1e6)} MB in ${count.toLocaleString('en')} files`;
      return { ...tree, name, title, files: () => demoFiles(count) };
    }
    case 'large':
      return { ...tree, ...oneFile(name, scaled(2048)), title: `one file of ${scaled(2048)} MiB` };
    case 'block':
      return { mode: 'Block', ...oneFile(name, scaled(2048)), title: `block device of ${scaled(2048)} MiB` };
    case 'sparse':
      return {
        ...tree,
        ...oneFile(name, scaled(128)),
        stepBytes: 16 * MiB,
        title: `sparse file of ${scaled(128) * 16} MiB, ${scaled(128)} MiB of them data`,
      };
    case 'generations': {
      const count = scaled(20_000);
      return {
        ...tree,
        name,
        title: `${count.toLocaleString('en')} × 4 KiB in 50 generations`,
        files: () => mediumFiles(count, 0, 1),
        // Each generation changes one file in fifty, so that at the end nearly every folder has files of all generations.
        changes: { generations: 49, of: (generation) => mediumFiles(count, generation, 50) },
      };
    }
    default:
      throw new Error(`--case: there is no "${name}"; there are ${datasetNames.join(', ')}`);
  }
}

function* smallFiles(count: number): Generator<TreeFile> {
  for (let index = 0; index < count; index++) yield file(`d${Math.floor(index / 1000)}/f${index}`, 100);
}

function* mediumFiles(count: number, generation: number, step: number): Generator<TreeFile> {
  for (let index = generation % step; index < count; index += step)
    yield { path: `d${Math.floor(index / 200)}/f${index}`, bytes: 4096, seed: `${generation}-${index}` };
}

const demoMeanBytes = 51_600;

/** Sizes as in a source tree: nine of ten files have some KiB, and the tenth has nearly all of the bytes. */
function* demoFiles(count: number): Generator<TreeFile> {
  for (let index = 0; index < count; index++) {
    const bytes = index % 10 === 9 ? 300_000 + ((index * 7919) % 320_000) : 500 + ((index * 104_729) % 11_000);
    yield file(`d${Math.floor(index / 160)}/e${Math.floor(index / 13)}/f${index}`, bytes);
  }
}

const oneFile = (name: string, mebibytes: number) => ({ name, files: () => [file('data', mebibytes * MiB)] });
const file = (path: string, bytes: number): TreeFile => ({ path, bytes, seed: path });
