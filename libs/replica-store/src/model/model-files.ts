import { basename, dirname } from 'node:path';
import { replicaLimits } from '../limits.ts';
import type { ReplicaFiles } from '../store/replica-folder.ts';
import type { ModelMachine } from './model-machine.ts';

/** The files of a model machine: one folder; its name does not matter. */
export function modelFiles(machine: ModelMachine): ReplicaFiles {
  return {
    readText: async (path) => machine.texts.get(path),
    writeDurably: async (path, text) => void machine.texts.set(path, text),
    replaceDurably: async (from, to) => {
      const image = machine.images.get(basename(from));
      if (image === undefined) throw new Error(`${from} is not there`);
      machine.images.delete(basename(from));
      machine.images.set(basename(to), image);
    },
    removeDurably: async (path) => {
      machine.texts.delete(path);
      machine.images.delete(basename(path));
    },
    list: async (directory) => [
      ...machine.images.keys(),
      ...[...machine.texts.keys()].filter((path) => dirname(path) === directory).map((path) => basename(path)),
    ],
    facts: async (path) => {
      const image = machine.images.get(basename(path));
      if (image === undefined) return undefined;
      const allocatedBytes = image.units.size * replicaLimits.unitBytes;
      // A header, and a unit for each that was ever written: no file gets shorter.
      return {
        sizeBytes: replicaLimits.unitBytes + allocatedBytes,
        allocatedBytes,
        inode: 1,
        modifiedMs: image.modifiedMs,
      };
    },
    sync: async (path) => {
      if (machine.isDiskFailing) throw new Error(`EIO: i/o error, fsync ${path}`);
      const image = machine.images.get(basename(path));
      if (image === undefined) throw new Error(`${path} is not there`);
      machine.flush(image);
    },
    space: async () => ({
      totalBytes: 1024 ** 4,
      usedBytes: 0,
      availableBytes: machine.freeBytes,
      totalInodes: 1_000,
      freeInodes: 900,
    }),
    makeDirectory: async () => {},
  };
}
