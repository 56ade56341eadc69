import { dirname } from 'node:path';
import type { Files } from '../store/files.ts';
import { type FakeDisk, readBlocks } from './fake-disk.ts';

/** {@link Files} on a {@link FakeDisk}. */
export function fakeFiles(disk: FakeDisk): Files {
  const makeDirectories = (path: string) => {
    for (let at = path; at !== '/'; at = dirname(at)) disk.directories.add(at);
  };
  return {
    readText: async (path) => (path === '/proc/self/mountinfo' ? disk.mountInfo() : disk.files.get(path)?.text),
    writeDurably: async (path, text) => {
      disk.makeFile(path, text.length).text = text;
    },
    replaceDurably: async (from, to) => {
      const file = disk.files.get(from);
      if (file === undefined) throw new Error(`${from} does not exist`);
      disk.files.delete(from);
      disk.files.set(to, file);
    },
    removeDurably: async (path) => void disk.files.delete(path),
    list: async (directory) =>
      [...disk.files.keys()]
        .filter((path) => dirname(path) === directory)
        .map((path) => path.slice(directory.length + 1)),
    createSparse: async (path, bytes) => {
      if (disk.files.has(path)) throw new Error(`${path} exists`);
      disk.makeFile(path, bytes);
    },
    growSparse: async (path, bytes) => {
      const file = disk.files.get(path);
      if (file === undefined) throw new Error(`${path} does not exist`);
      file.sizeBytes = Math.max(file.sizeBytes, bytes);
    },
    sync: async (path) => {
      if (!disk.files.has(path)) throw new Error(`${path} does not exist`);
    },
    facts: async (path) => {
      const file = disk.files.get(path);
      return file && { sizeBytes: file.sizeBytes, allocatedBytes: 0, inode: file.inode, modifiedMs: 0 };
    },
    openForReading: async (path) => {
      const isDevice = disk.loops.some(({ name }) => name === path);
      const file = isDevice ? disk.contentOf(path) : disk.files.get(path);
      if (file === undefined) throw new Error(`${path} does not exist`);
      return {
        read: async (at, into) => {
          if (disk.unreadable.has(path)) throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' });
          readBlocks(file.content, at, into);
        },
        [Symbol.asyncDispose]: async () => {},
      };
    },
    space: async () => ({
      totalBytes: disk.freeBytes,
      usedBytes: 0,
      availableBytes: disk.freeBytes,
      totalInodes: 1000,
      freeInodes: 900,
    }),
    makeDirectory: async (path) => makeDirectories(path),
    makeMountFile: async (path) => {
      makeDirectories(dirname(path));
      if (!disk.files.has(path)) disk.makeFile(path, 0);
    },
    removeMountPoint: async (path) => {
      if (disk.mounts.some(({ mountPoint }) => mountPoint === path)) throw new Error(`${path} is busy`);
      disk.files.delete(path);
      disk.directories.delete(path);
    },
  };
}
