import type { ChildRunner } from '@lateen/child-process';

/**
 * Has the storage of a block device zero a range without a write of zeroes. False where it cannot; the content of the range is unknown then.
 * On abort: resolves with false, and part of the range may be zeroed.
 * @param fallocate that of util-linux
 */
export async function punchRange(
  fallocate: Pick<ChildRunner, 'run'>,
  path: string,
  { offset, length }: { offset: number; length: number },
  signal?: AbortSignal,
): Promise<boolean> {
  const range = [`--offset=${offset}`, `--length=${length}`];
  // Fails, instead of writing zeroes, where the storage has no such operation (Linux, blkdev_fallocate).
  const args = ['--punch-hole', '--keep-size', ...range, path];
  const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C' };
  const { exitCode } = await fallocate.run({ args, env, ...(signal === undefined ? {} : { signal }) });
  return exitCode === 0;
}
