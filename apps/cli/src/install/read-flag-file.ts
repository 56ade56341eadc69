import { open } from 'node:fs/promises';
import { AppError } from '@lateen/errors';

/**
 * Reads a file that a flag names. Reading a device or pipe stops when the maximum is exceeded. @throws what the file system says;
 * FILE_TOO_LARGE
 */
export async function readFlagFile(path: string, bytesMax: number): Promise<Uint8Array> {
  const file = await open(path, 'r');
  try {
    const buffer = Buffer.alloc(bytesMax + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length, null);
      length += bytesRead;
      if (length > bytesMax) throw new AppError('FILE_TOO_LARGE', `it has more than ${bytesMax} bytes`);
      if (bytesRead === 0) return buffer.subarray(0, length);
    }
  } finally {
    await file.close();
  }
}
