import { statfs } from 'node:fs/promises';

/** Bytes in use on the file system of a path. */
export async function usedBytes(path: string): Promise<number> {
  const { bsize, blocks, bfree } = await statfs(path);
  return bsize * (blocks - bfree);
}
