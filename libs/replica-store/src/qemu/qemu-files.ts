import { join } from 'node:path';
import { AppError, isAppError } from '@lateen/errors';
import type { ReplicaBlocks } from '../blocks/replica-blocks.ts';
import { unfinishedSuffix } from '../store/replica-folder.ts';
import { presentDaemon } from './present-daemon.ts';
import type { QemuBlocksPorts } from './qemu-ports.ts';

type FileCalls = Pick<ReplicaBlocks, 'makeLayer' | 'imageInfo' | 'isBlank' | 'check' | 'relink'>;

export function qemuFiles(ports: QemuBlocksPorts): FileCalls {
  const { directory, images, files } = ports;
  /** No file may be opened here while a daemon may run that does not answer. */
  const path = (file: string) => {
    presentDaemon(ports);
    return join(directory, file);
  };
  return {
    makeLayer: async (file, { sizeBytes, backingFile, signal }) => {
      const unfinished = `${path(file)}${unfinishedSuffix}`;
      await files.removeDurably(unfinished);
      if ((await files.facts(path(file))) !== undefined) throw new AppError('IMAGE_EXISTS', `${file} is there already`);
      const backing = backingFile === undefined ? {} : { backingFile };
      await images.create({ path: unfinished, sizeBytes, ...backing }, { signal });
      await files.sync(unfinished);
      await files.replaceDurably(unfinished, path(file));
    },
    imageInfo: async (file, o) => {
      if ((await files.facts(path(file))) === undefined) return undefined;
      return images.info(path(file), { ...o, inUse: true }).catch((error: unknown) => {
        if (!isUnreadable(error)) throw error;
        throw new AppError('IMAGE_BROKEN', `${file} is not a qcow2 image that can be read`, { cause: error });
      });
    },
    isBlank: async (file, o) => !(await images.map(path(file), o)).some(({ depth, present }) => depth === 0 && present),
    check: async (file, o) => {
      const { corruptions, leaks, sound } = await images.check(path(file), o);
      return { corruptions: sound ? 0 : Math.max(1, corruptions), leaks };
    },
    relink: async (file, backingFile, o) => images.relink(path(file), backingFile, o),
  };
}

/** The program ran to its end and could not read the file. */
const isUnreadable = (error: unknown): boolean =>
  isAppError(error, 'QEMU_IMG_FAILED') && typeof error.details.exitCode === 'number';
