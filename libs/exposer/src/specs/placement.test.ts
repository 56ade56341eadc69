import { aPersistentVolume, aPersistentVolumeClaim, aStorageClass } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { requireLinux, volumeNodeOs } from './node-os.ts';
import { hostingPodAffinity, notOn, requiredInEach, snapshotTopology } from './placement.ts';

const onNode1 = [{ matchExpressions: [{ key: 'node', operator: 'In' as const, values: ['node-1'] }] }];
const local = aPersistentVolume({ spec: { nodeAffinity: { required: { nodeSelectorTerms: onNode1 } } } });

describe('where a snapshot can be read', () => {
  it.each([
    [
      'WaitForFirstConsumer with a local volume: only on the node of the volume',
      'WaitForFirstConsumer' as const,
      local,
      onNode1,
    ],
    ['Immediate: the storage places the volume', 'Immediate' as const, local, []],
    ['a volume that every node can attach', 'WaitForFirstConsumer' as const, aPersistentVolume(), []],
    ['a deleted volume', 'WaitForFirstConsumer' as const, undefined, []],
  ])('%s', (_, volumeBindingMode, volume, terms) => {
    expect(snapshotTopology(aStorageClass({ volumeBindingMode }), volume)).toEqual(terms);
  });
  it('each alternative term excludes Windows', () => {
    const two = [{ matchExpressions: [{ key: 'a', operator: 'Exists' as const }] }, { matchFields: [] }];
    const terms =
      hostingPodAffinity(two).nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
    expect(terms?.map((term) => term.matchExpressions?.at(-1))).toEqual([
      { key: 'kubernetes.io/os', operator: 'NotIn', values: ['windows'] },
      { key: 'kubernetes.io/os', operator: 'NotIn', values: ['windows'] },
    ]);
  });
});

describe('the operating system that reads a volume', () => {
  it.each([
    ['NTFS needs Windows', 'Filesystem' as const, { 'csi.storage.k8s.io/fstype': 'NTFS' }, 'windows'],
    ['a block volume is read on Linux, whatever it contains', 'Block' as const, { fsType: 'ntfs' }, 'linux'],
    ['xfs', 'Filesystem' as const, { 'csi.storage.k8s.io/fstype': 'xfs' }, 'linux'],
    ['no file system type', 'Filesystem' as const, {}, 'linux'],
  ])('%s', (_, volumeMode, parameters, expected) => {
    const claim = aPersistentVolumeClaim({ spec: { volumeMode } });
    expect(volumeNodeOs(claim, aStorageClass({ parameters: parameters as Record<string, string> }))).toBe(expected);
  });
  it('a volume that needs Windows is rejected by name', () => {
    expect(() => requireLinux('windows', 'PersistentVolumeClaim app/data')).toThrow(/PersistentVolumeClaim app\/data/);
    expect(() => requireLinux('auto', 'x')).not.toThrow();
    expect(() => requireLinux(undefined, 'x')).not.toThrow();
  });
});

describe('requirements added to alternative terms', () => {
  const pool = { key: 'pool', operator: 'In' as const, values: ['backup'] };
  it.each([
    ['no terms and no requirements: any node', [], [], []],
    ['no terms: one term with the requirements', [], [pool], [{ matchExpressions: [pool] }]],
    ['no requirements: the terms unchanged', onNode1, [], onNode1],
    [
      'each term gets the requirements and keeps its other fields',
      [...onNode1, { matchFields: [] }],
      [pool],
      [
        { matchExpressions: [...(onNode1[0]?.matchExpressions ?? []), pool] },
        { matchFields: [], matchExpressions: [pool] },
      ],
    ],
  ])('%s', (_, terms, requirements, expected) => {
    expect(requiredInEach(terms, requirements)).toEqual(expected);
  });
  it('excludes the given nodes', () => {
    expect(notOn([])).toEqual([]);
    expect(notOn(['a', 'b'])).toEqual([{ key: 'kubernetes.io/hostname', operator: 'NotIn', values: ['a', 'b'] }]);
  });
});
