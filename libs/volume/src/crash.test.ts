import { describe, expect, it } from 'vitest';
import { createSnapshot } from './controller/create-snapshot.ts';
import { createVolume } from './controller/create-volume.ts';
import { deleteSnapshot, deleteVolume } from './controller/delete-record.ts';
import { expandVolume } from './controller/expand-volume.ts';
import { findSnapshot, findVolume } from './controller/find-record.ts';
import { revertVolume } from './controller/revert-volume.ts';
import { type Death, deaths, dyingHost, Killed } from './fake-machine/dying-host.ts';
import type { FakeLoop } from './fake-machine/fake-disk.ts';
import { FakeNode, neverAborts as signal } from './fake-machine/fake-node.ts';
import { expandOnNode } from './node/expand-on-node.ts';
import { publishVolume } from './node/publish-volume.ts';
import { stageVolume } from './node/stage-volume.ts';
import { unpublishVolume } from './node/unpublish-volume.ts';
import { unstageVolume } from './node/unstage-volume.ts';
import type { VolumeUse } from './node/volume-use.ts';
import type { VolumeDeps } from './volume-deps.ts';
import { idForName } from './volume-id.ts';

const GiB = 1024 ** 3;
const stagingPath = '/kubelet/staging';
const targetPath = '/kubelet/pod/mount';
const id = (name: string) => idForName('volume', name, 'node-1');
const snapshotId = idForName('snapshot', 'snap', 'node-1');
const source = id('source');

const uses = {
  ext4: { access: { kind: 'mount', fileSystem: 'ext4', flags: [] }, readOnly: false, single: false },
  xfs: { access: { kind: 'mount', fileSystem: 'xfs', flags: ['noatime'] }, readOnly: true, single: false },
  'xfs-rw': { access: { kind: 'mount', fileSystem: 'xfs', flags: [] }, readOnly: false, single: false },
  block: { access: { kind: 'block' }, readOnly: false, single: false },
  'block-ro': { access: { kind: 'block' }, readOnly: true, single: false },
} as const satisfies Record<string, VolumeUse>;
type Kind = keyof typeof uses;

const create =
  (name: string, rest: object = {}) =>
  (deps: VolumeDeps) =>
    createVolume(deps, { name, range: { requiredBytes: GiB }, ...rest }, signal);
const snapshot = (deps: VolumeDeps) => createSnapshot(deps, { name: 'snap', sourceVolumeId: source }, signal);
const stage =
  (kind: Kind, volumeId = source) =>
  (deps: VolumeDeps) =>
    stageVolume(deps, { volumeId, stagingPath, use: uses[kind] }, signal);
const publish = (kind: Kind) => (deps: VolumeDeps) =>
  publishVolume(deps, { volumeId: source, stagingPath, targetPath, use: uses[kind] }, signal);
const unpublish = (deps: VolumeDeps) => unpublishVolume(deps, { volumeId: source, targetPath }, signal);
const unstage =
  (volumeId = source) =>
  (deps: VolumeDeps) =>
    unstageVolume(deps, { volumeId, stagingPath }, signal);
const grow = (deps: VolumeDeps) => expandVolume(deps, source, { requiredBytes: 2 * GiB });
const growOnNode = (deps: VolumeDeps) =>
  expandOnNode(
    deps,
    { volumeId: source, volumePath: stagingPath, range: { requiredBytes: 2 * GiB }, flags: [] },
    signal,
  );
const pod = (node: FakeNode, text: string) => async () => node.disk.write(targetPath, text);

type Step = (deps: VolumeDeps, node: FakeNode) => Promise<unknown>;
interface Row {
  call: string;
  before: Step[];
  act: Step;
  /** What must hold after the repeated call. */
  after?: (node: FakeNode) => void;
}

const fileSystemOf = (node: FakeNode) => node.disk.files.get(`/state/data/${source}.img`)?.content.fileSystem;

const mounted = (kind: Kind): Step[] => [
  create('source'),
  stage(kind),
  publish(kind),
  (_deps, node) => pod(node, 'precious')(),
];

const rows: Row[] = [
  { call: 'CreateVolume', before: [], act: create('source') },
  { call: 'DeleteVolume', before: [create('source')], act: (deps) => deleteVolume(deps, source, signal) },
  { call: 'CreateSnapshot, idle', before: [create('source')], act: snapshot },
  { call: 'CreateSnapshot, mounted ext4', before: mounted('ext4'), act: snapshot },
  { call: 'CreateSnapshot, published block', before: mounted('block'), act: snapshot },
  {
    call: 'revert to a snapshot',
    before: [create('source'), snapshot, grow],
    act: (deps) => revertVolume(deps, findVolume(deps, source), findSnapshot(deps, snapshotId), signal),
    after: (node) => expect(node.disk.files.get(`/state/data/${source}.img`)?.sizeBytes).toBe(2 * GiB),
  },
  {
    call: 'DeleteSnapshot',
    before: [create('source'), snapshot],
    act: (deps) => deleteSnapshot(deps, snapshotId, signal),
  },
  {
    call: 'CreateVolume from a snapshot, larger',
    before: [...mounted('ext4'), snapshot],
    act: create('copy', { range: { requiredBytes: 2 * GiB }, source: { kind: 'snapshot', id: snapshotId } }),
  },
  {
    call: 'CreateVolume from a mounted volume',
    before: mounted('xfs-rw'),
    act: create('copy', { source: { kind: 'volume', id: source } }),
  },
  { call: 'ControllerExpandVolume', before: mounted('xfs-rw'), act: grow },
  { call: 'NodeStageVolume ext4', before: [create('source')], act: stage('ext4') },
  { call: 'NodeStageVolume xfs', before: [create('source')], act: stage('xfs') },
  { call: 'NodeStageVolume block', before: [create('source')], act: stage('block') },
  {
    call: 'NodeStageVolume ext4 that has grown',
    before: [...mounted('ext4'), unpublish, unstage(), grow],
    act: stage('ext4'),
    after: (node) => expect(fileSystemOf(node)?.sizeBytes).toBe(2 * GiB),
  },
  {
    call: 'NodeStageVolume xfs that has grown, read-only',
    before: [create('source'), stage('xfs'), unstage(), grow],
    act: stage('xfs'),
    after: (node) => expect(fileSystemOf(node)?.sizeBytes).toBe(2 * GiB),
  },
  { call: 'NodePublishVolume, read-only', before: [create('source'), stage('xfs')], act: publish('xfs') },
  {
    call: 'NodePublishVolume block, read-only',
    before: [create('source'), stage('block-ro')],
    act: publish('block-ro'),
  },
  { call: 'NodeUnpublishVolume', before: mounted('ext4'), act: unpublish },
  { call: 'NodeUnpublishVolume block', before: mounted('block'), act: unpublish },
  {
    call: 'NodeUnpublishVolume block, read-only',
    before: [create('source'), stage('block-ro'), publish('block-ro')],
    act: unpublish,
  },
  { call: 'NodeUnstageVolume', before: [create('source'), stage('ext4')], act: unstage() },
  { call: 'NodeUnstageVolume block', before: [create('source'), stage('block')], act: unstage() },
  {
    call: 'NodeExpandVolume xfs',
    before: mounted('xfs-rw'),
    act: growOnNode,
    after: (node) => expect(fileSystemOf(node)?.sizeBytes).toBe(2 * GiB),
  },
  { call: 'NodeExpandVolume ext4', before: mounted('ext4'), act: growOnNode },
  { call: 'NodeExpandVolume ext4, not published', before: [create('source'), stage('ext4')], act: growOnNode },
];

/** More steps than any call has; a plan that never reaches its step ends the loop. */
const stepsMax = 200;

/** What must hold after a restart, whatever happened. */
function expectNothingLeaked(node: FakeNode): void {
  const { disk } = node;
  expect([...disk.frozen]).toEqual([]);
  expect([...disk.files.keys()].filter((path) => path.endsWith('.tmp'))).toEqual([]);
  for (const [path, file] of disk.files) if (path.endsWith('.json')) expect(file.text).toContain('"state":"ready"');
  const records = [...disk.files.keys()].filter((path) => path.endsWith('.json')).length;
  const data = [...disk.files].filter(([path]) => path.endsWith('.img'));
  expect(data.length).toBe(records);
  for (const [, file] of data) expect(file.content.whole).toBe(true);
  const isMounted = ({ name, device }: FakeLoop) =>
    disk.mounts.some((mount) => mount.device === device || mount.root === name.slice(4));
  for (const loop of disk.loops) {
    const isStage = !loop.readOnly && disk.loops.some((other) => other.inode === loop.inode && isMounted(other));
    expect(isMounted(loop) || isStage, `${loop.name} is used`).toBe(true);
  }
}

/** The data written by earlier steps is in every copy made since. */
function expectDataWhole(node: FakeNode): void {
  const originals = [...node.disk.files].filter(([path]) => path.endsWith('.img')).map(([, file]) => file.content);
  const written = originals.map((content) => content.written.join());
  expect(new Set(written).size, `contents ${written.join(' | ')}`).toBeLessThanOrEqual(1);
  for (const content of originals) expect(content.fileSystem?.whole ?? true).toBe(true);
}

async function tearDown(deps: VolumeDeps, node: FakeNode): Promise<void> {
  if (deps.store.volume(source) !== undefined) await unpublish(deps);
  for (const volume of deps.store.volumes()) await unstage(volume.id)(deps);
  for (const volume of deps.store.volumes()) await deleteVolume(deps, volume.id, signal);
  for (const snapshotRecord of deps.store.snapshots()) await deleteSnapshot(deps, snapshotRecord.id, signal);
  expect([...node.disk.files.keys()]).toEqual([]);
  expect(node.disk.loops).toEqual([]);
  expect(node.disk.mounts).toEqual([]);
}

/** Runs the row with one failing effect; false when the call has fewer effects. */
async function attempt(row: Row, plan: Parameters<typeof dyingHost>[2]): Promise<boolean> {
  const node = new FakeNode();
  node.disk.growsExt4Online = !row.call.endsWith('not published');
  const dying = dyingHost(node.host, node.disk, plan);
  const doomed = await node.start(dying.host);
  for (const step of row.before) await step(doomed, node);
  dying.arm();
  const failed = await row.act(doomed, node).then(
    () => false,
    (error: unknown) => {
      if (!(error instanceof Killed)) throw error;
      return true;
    },
  );
  if (!failed) return false;
  const deps = plan.revives === true ? doomed : await node.start();
  if (plan.revives !== true) expectNothingLeaked(node);
  await row.act(deps, node);
  expectDataWhole(node);
  row.after?.(node);
  await tearDown(deps, node);
  return true;
}

async function attemptEach(row: Row, plan: { death: Death; revives?: boolean }): Promise<void> {
  let step = 1;
  while (step <= stepsMax && (await attempt(row, { ...plan, step }))) step++;
  expect(step).toBeGreaterThan(3);
  expect(step).toBeLessThan(stepsMax);
}

describe.each(deaths)('killed %s an effect', (death) => {
  it.each(rows)('$call: after a restart nothing is leaked, the repeated call succeeds and data is complete', (row) =>
    attemptEach(row, { death }),
  );
});

/** A write that fails cleans up after itself (node-files.test.ts), so `torn` applies only to dead processes. */
describe.each(['before', 'after'] as const)('one effect fails (%s), the process lives', (death) => {
  it.each(rows)('$call: the repeated call succeeds, data is complete and all of it can be deleted', (row) =>
    attemptEach(row, { death, revives: true }),
  );
});
