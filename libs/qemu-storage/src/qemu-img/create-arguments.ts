import { AppError } from '@lateen/errors';
import { absolutePath } from '../absolute-path.ts';
import { exactNumber } from '../commands/block-nodes.ts';

export interface CreateImage {
  path: string;
  sizeBytes: bigint;
  /**
   * File of the layer below, as the header says it: absolute, or a name in the same directory. It is not opened, so it may be in
   * use; qemu reads it only where no node is given as backing.
   */
  backingFile?: string;
}

/**
 * The same for every file. Sub-clusters of 4 KiB, not the clusters of 64 KiB that are qemu's choice: a write of 4 KiB to a layer
 * whose lower layers are not there yet fills the rest of its unit with zeros, which then cover what comes below. No lazy
 * refcounts: a file is to be sound after a kill without repair.
 */
const imageOptions = 'extended_l2=on,cluster_size=128k,lazy_refcounts=off,preallocation=off';

/** @throws PATH_NOT_ABSOLUTE, SIZE_TOO_LARGE, BACKING_FILE_INVALID */
export function createArguments({ path, sizeBytes, backingFile }: CreateImage): readonly string[] {
  const backing = backingFile === undefined ? [] : ['-u', '-b', headerName(backingFile), '-F', 'qcow2'];
  const size = String(exactNumber(sizeBytes));
  return ['create', '-q', '-f', 'qcow2', '-o', imageOptions, ...backing, absolutePath(path), size];
}

/** A name with a colon would be a protocol, and a relative path one from qemu's own directory in some of its programs. */
export function headerName(file: string): string {
  if (file.startsWith('/')) return absolutePath(file);
  if (/^[\w][\w.-]*$/.test(file)) return file;
  throw new AppError('BACKING_FILE_INVALID', `"${file}" is neither an absolute path nor the name of a file`);
}
