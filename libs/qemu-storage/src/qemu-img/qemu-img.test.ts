import type { ChildExit, ChildRun } from '@lateen/child-process';
import { isAppError } from '@lateen/errors';
import { describe, expect, it } from 'vitest';
import { qemuImg } from './qemu-img.ts';

const code = (name: string) => expect.toSatisfy((error) => isAppError(error, name));

/** qemu-img with a result that the test sets. */
function ending(exit: Partial<ChildExit>) {
  const runs: ChildRun[] = [];
  const whole = { exitCode: 0, endedBy: undefined, stdout: '', stderr: '', aborted: false, ...exit };
  const run = async (request: ChildRun) => {
    runs.push(request);
    return whole;
  };
  return { image: qemuImg({ run }), args: () => runs.at(-1)?.args ?? [] };
}

const units = 'extended_l2=on,cluster_size=128k,lazy_refcounts=off,preallocation=off';

describe('qemu-img', () => {
  it('creates every file with clusters of 4 KiB, with and without a backing file', async () => {
    const { image, args } = ending({});
    await image.create({ path: '/d/l0', sizeBytes: 1n << 40n });
    expect(args()).toEqual(['create', '-q', '-f', 'qcow2', '-o', units, '/d/l0', '1099511627776']);
    await image.create({ path: '/d/l1', sizeBytes: 4_096n, backingFile: 'l0' });
    expect(args()).toEqual([
      ...['create', '-q', '-f', 'qcow2', '-o', units, '-u', '-b', 'l0', '-F', 'qcow2'],
      ...['/d/l1', '4096'],
    ]);
  });

  it.each(['nbd:host:1', 'json:{}', '../other', 'dir/l0', '-o', ''])('rejects the backing file "%s"', async (file) => {
    const created = ending({}).image.create({ path: '/d/l', sizeBytes: 1n, backingFile: file });
    await expect(created).rejects.toEqual(code('BACKING_FILE_INVALID'));
  });

  it('never probes the format of a file, and rejects a relative path', async () => {
    const { image, args } = ending({ stdout: '{"virtual-size": 1}' });
    await image.info('/d/l', { inUse: true });
    expect(args()).toEqual(['info', '--output=json', '--force-share', '-f', 'qcow2', '/d/l']);
    await expect(image.info('l')).rejects.toEqual(code('PATH_NOT_ABSOLUTE'));
    await expect(image.compare('/d/l', 'l')).rejects.toEqual(code('PATH_NOT_ABSOLUTE'));
  });

  it('reads the file information', async () => {
    const said = {
      ...{ 'virtual-size': 1_073_741_824, 'actual-size': 397_312, 'cluster-size': 131_072, 'dirty-flag': true },
      ...{ 'backing-filename': 'l0', format: 'qcow2' },
      'format-specific': { type: 'qcow2', data: { compat: '1.1', 'extended-l2': true, corrupt: true } },
    };
    expect(await ending({ stdout: JSON.stringify(said) }).image.info('/d/l')).toEqual({
      ...{ sizeBytes: 1_073_741_824n, actualBytes: 397_312n, clusterBytes: 131_072, extendedL2: true },
      ...{ backingFile: 'l0', dirty: true, corrupt: true },
    });
  });

  it.each([
    [0, {}, { sound: true, corruptions: 0, leaks: 0, checkErrors: 0 }],
    [3, { leaks: 2 }, { sound: true, corruptions: 0, leaks: 2, checkErrors: 0 }],
    [2, { corruptions: 1 }, { sound: false, corruptions: 1, leaks: 0, checkErrors: 0 }],
    [0, { 'check-errors': 1 }, { sound: false, corruptions: 0, leaks: 0, checkErrors: 1 }],
  ])('returns exit code %s of a check with %o', async (exitCode, said, checked) => {
    const stdout = JSON.stringify({ 'check-errors': 0, 'total-clusters': 8, ...said });
    expect(await ending({ exitCode, stdout }).image.check('/d/l')).toEqual(checked);
  });

  it.each([
    [0, true],
    [1, false],
  ])('reports whether two files have equal content: exit code %s', async (exitCode, equal) => {
    const { image } = ending({ exitCode, stdout: 'said\n' });
    expect(await image.compare('/d/a', '/d/b')).toEqual({ equal, said: 'said' });
  });

  it('reads the areas of each layer', async () => {
    const said = [{ start: 0, length: 4_096, depth: 1, present: true, zero: false, data: true, offset: 65_536 }];
    expect(await ending({ stdout: JSON.stringify(said) }).image.map('/d/l')).toEqual([
      { startBytes: 0n, lengthBytes: 4_096n, depth: 1, present: true, zero: false, data: true },
    ]);
  });

  it.each([
    ['it ended with an error', { exitCode: 1, stderr: 'qemu-img: Could not open: Failed to get "write" lock' }],
    ['a signal ended it', { exitCode: undefined, endedBy: 'SIGSEGV' }],
    ['its answer was cut off', { stdout: '{"virtual-size": 10' }],
    ['its answer is of another form', { stdout: '[1]' }],
    ['its answer is no object', { stdout: '7' }],
    ['a size is no whole number', { stdout: '{"virtual-size": 1e300}' }],
  ])('fails when %s', async (_, exit) => {
    await expect(ending(exit).image.info('/d/l')).rejects.toEqual(code('QEMU_IMG_FAILED'));
  });

  it('returns its error message, but not its standard output', async () => {
    const failed = ending({ exitCode: 1, stderr: 'No space left on device\n' }).image.create({
      path: '/d/l',
      sizeBytes: 1n,
    });
    await expect(failed).rejects.toThrow('qemu-img create of /d/l ended with exit code 1: No space left on device');
  });

  it('ends with the reason of an abort', async () => {
    const signal = AbortSignal.abort(new Error('stopped'));
    await expect(ending({ exitCode: undefined, aborted: true }).image.check('/d/l', { signal })).rejects.toThrow(
      'stopped',
    );
  });
});
