import { describe, expect, it } from 'vitest';
import { checkTargetPath } from './target-path.ts';

describe('checkTargetPath', () => {
  it.each([
    [
      '/var/lib/kubelet/pods/u/volumes/kubernetes.io~csi/pvc/mount',
      '/var/lib/kubelet/pods/u/volumes/kubernetes.io~csi/pvc/mount',
    ],
    ['/a', '/a'],
    ['/a/', '/a'],
    ['/a/..b/c..', '/a/..b/c..'],
    ['/with space/ü', '/with space/ü'],
  ])('accepts %s', (path, checked) => expect(checkTargetPath(path, 'target_path')).toBe(checked));

  it.each([
    ['', 'is missing'],
    ['/', 'is the root directory'],
    ['relative/path', 'is not absolute'],
    ['../up', 'is not absolute'],
    ['-o', 'is not absolute'],
    ['/a/../b', 'is not in normal form'],
    ['/a/..', 'is not in normal form'],
    ['/..', 'is not in normal form'],
    ['/a/./b', 'is not in normal form'],
    ['/a//b', 'is not in normal form'],
    ['//a', 'is not in normal form'],
    ['/a\0/b', 'contains a NUL byte'],
    [`/${'x'.repeat(4096)}`, 'is longer than 4096 bytes'],
  ])('%j %s', (path, problem) => {
    expect(() => checkTargetPath(path, 'target_path')).toThrow(`target_path ${problem}`);
  });
});
