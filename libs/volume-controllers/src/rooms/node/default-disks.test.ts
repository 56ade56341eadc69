import type { Node } from '@lateen/api-types';
import type { DiskFacts } from '@lateen/block-engine';
import type { DiskSpec, LonghornNode, Setting } from '@lateen/storage-types';
import { readSettings } from '@lateen/volume-decisions';
import { describe, expect, it } from 'vitest';
import { newNode } from '../kubernetes-node/kubernetes-node-room.ts';
import { defaultDisksOf, defaultTagsOf, diskSpecs } from './default-disks.ts';

const settingsWith = (labelled: boolean) => {
  const setting: Setting = {
    apiVersion: 'longhorn.io/v1beta2',
    kind: 'Setting',
    metadata: { name: 'create-default-disk-labeled-nodes' },
    value: `${labelled}`,
  };
  return readSettings([setting]).settings;
};
const kubernetesNode = (config?: string, label = 'config'): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: 'n1',
    labels: { 'node.longhorn.io/create-default-disk': label },
    annotations: config === undefined ? {} : { 'node.longhorn.io/default-disks-config': config },
  },
});
const fresh = newNode('n1', 'longhorn-system');
const withDisks = (disks: Record<string, DiskSpec>): LonghornNode => ({ ...fresh, spec: { ...fresh.spec, disks } });
const facts = (path: string, parts: Partial<DiskFacts> = {}): DiskFacts => ({
  path,
  filesystemId: 'f1',
  filesystemType: 'xfs',
  maximumBytes: 1000n,
  availableBytes: 900n,
  directIo: true,
  sparseFiles: true,
  ...parts,
});

describe('the default disks of a node', () => {
  it.each([
    ['a new node', fresh, kubernetesNode(), false, ['/var/lib/longhorn/']],
    ['a node that has a disk', withDisks({ a: {} }), kubernetesNode(), false, 'none'],
    ['a node whose disk was removed', { ...fresh, metadata: { name: 'n1' } }, kubernetesNode(), false, 'none'],
    ['a node that Kubernetes does not have', fresh, undefined, false, 'none'],
    [
      'only labelled nodes, and the node has the label',
      fresh,
      kubernetesNode(undefined, 'true'),
      true,
      ['/var/lib/longhorn/'],
    ],
    ['only labelled nodes, and the label has another value', fresh, kubernetesNode(undefined, 'no'), true, 'none'],
    [
      'the label that requests the annotation',
      fresh,
      kubernetesNode('[{"path":"/a"},{"path":"/b"}]'),
      true,
      ['/a', '/b'],
    ],
    ['no annotation', fresh, kubernetesNode(), true, 'it is missing'],
    ['no JSON', fresh, kubernetesNode('[{'), true, 'it is not a JSON list'],
    ['no list', fresh, kubernetesNode('{}'), true, 'it is not a JSON list'],
    ['an empty list', fresh, kubernetesNode('[]'), true, 'it lists no disk'],
    ['no path', fresh, kubernetesNode('[{"path":"a"}]'), true, 'an entry has no absolute path'],
    ['a block device', fresh, kubernetesNode('[{"path":"/a","diskType":"block"}]'), true, 'disks of type block'],
    ['a path twice', fresh, kubernetesNode('[{"path":"/a"},{"path":"/a"}]'), true, 'there twice'],
    ['an invalid size', fresh, kubernetesNode('[{"path":"/a","storageReserved":-1}]'), true, 'storageReserved'],
    ['invalid tags', fresh, kubernetesNode('[{"path":"/a","tags":["a b"]}]'), true, 'validating tags'],
    ['an invalid flag', fresh, kubernetesNode('[{"path":"/a","allowScheduling":"yes"}]'), true, 'allowScheduling'],
  ] as const)('%s', (_, node, of, labelled, expected) => {
    const wanted = defaultDisksOf(node, of, settingsWith(labelled));
    if (wanted.kind === 'wanted') expect(wanted.disks.map(({ path }) => path)).toEqual(expected);
    else expect(wanted.kind === 'wrong' ? wanted.problem : wanted.kind).toContain(expected);
  });

  it('are written when the host has inspected each of them, with their share reserved', () => {
    const wanted = defaultDisksOf(
      fresh,
      kubernetesNode('[{"path":"/a"},{"path":"/b","name":"b","storageReserved":5}]'),
      settingsWith(true),
    );
    const disks = wanted.kind === 'wanted' ? wanted.disks : [];
    expect(diskSpecs(disks, [facts('/a')], 30)).toBeUndefined();
    expect(
      diskSpecs(disks, [facts('/a', { error: { code: 'DISK_IO', message: 'gone' } }), facts('/b')], 30),
    ).toBeUndefined();
    const specs =
      diskSpecs(disks, [facts('/a'), facts('/b', { error: { code: 'DISK_IO', message: 'gone' } })], 30) ?? {};
    expect(Object.entries(specs).map(([name, { storageReserved }]) => [name, storageReserved])).toEqual([
      ['default-disk-f1', 0],
      ['b', 5],
    ]);
    const usual = defaultDisksOf(fresh, kubernetesNode(), settingsWith(false));
    const [spec] = Object.values(
      diskSpecs(usual.kind === 'wanted' ? usual.disks : [], [facts('/var/lib/longhorn/')], 30) ?? {},
    );
    expect(spec).toMatchObject({ storageReserved: 300, allowScheduling: true, evictionRequested: false });
  });

  it('on one file system are all listed, so that the node can reject one of them', () => {
    const wanted = defaultDisksOf(fresh, kubernetesNode('[{"path":"/a"},{"path":"/b"}]'), settingsWith(true));
    const specs = diskSpecs(wanted.kind === 'wanted' ? wanted.disks : [], [facts('/a'), facts('/b')], 30);
    expect(Object.keys(specs ?? {})).toEqual(['default-disk-f1', 'default-disk-f1-2']);
  });

  it('tags of a node without tags come from its annotation', () => {
    const tagged = (text: string): Node => ({
      ...kubernetesNode(),
      metadata: { name: 'n1', annotations: { 'node.longhorn.io/default-node-tags': text } },
    });
    expect(defaultTagsOf(fresh, tagged('["b","a","b"]'))).toEqual(['a', 'b']);
    expect(defaultTagsOf({ ...fresh, spec: { tags: ['x'] } }, tagged('["a"]'))).toEqual([]);
    expect(defaultTagsOf(fresh, tagged('a'))).toHaveProperty('problem');
    expect(defaultTagsOf(fresh, kubernetesNode())).toEqual([]);
  });
});
