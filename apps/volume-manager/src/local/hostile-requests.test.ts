import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { csi } from '@lateen/csi';
import { silentLogger, systemClock } from '@lateen/kernel';
import { nodeFiles, openVolumes, type RunCommand, type VolumeDeps } from '@lateen/volume';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { controllerHandlers } from './controller-service.ts';
import { nodeHandlers } from './node-service.ts';

const context = { signal: new AbortController().signal, log: silentLogger, header: () => undefined };
const capability: csi.VolumeCapability = {
  mount: { fsType: 'ext4', mountFlags: [], volumeMountGroup: '' },
  accessMode: { mode: csi.VolumeCapability_AccessMode_Mode.SINGLE_NODE_WRITER },
};
const hostilePaths = [
  '',
  '/',
  '..',
  'a/b',
  '/a/../../etc',
  '/a/./b',
  '/a//b',
  '/a\0b',
  '-o',
  '--help',
  `/${'x'.repeat(5000)}`,
];
const hostileIds = [
  '../../etc/passwd',
  '/etc',
  'vol-../x',
  '..',
  '--all',
  '$(reboot)',
  'vol-1\n',
  '\0',
  'x'.repeat(5000),
];

let directory = '';
let deps: VolumeDeps;
/** Programs started since the driver opened its state. */
let started: string[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lateen-hostile-'));
  const run: RunCommand = async (command, args) => {
    started.push([command, ...args].join(' '));
    return { stdout: '{"loopdevices":[]}', exitCode: 0 };
  };
  const host = { run, files: nodeFiles, log: silentLogger, clock: systemClock };
  deps = await openVolumes({ stateDirectory: directory, nodeId: 'n', host, copyMode: 'plain' }, context.signal);
  started = [];
});
afterEach(() => rm(directory, { recursive: true, force: true }));

async function expectUntouched(): Promise<void> {
  expect(started).toEqual([]);
  expect((await readdir(directory, { recursive: true })).sort()).toEqual(['data', 'records']);
}

describe.each(hostilePaths)('the path %j', (path) => {
  const base = { volumeId: 'v', volumeCapability: capability, publishContext: {}, secrets: {}, volumeContext: {} };
  it.each(['nodeStageVolume', 'nodeUnstageVolume', 'nodePublishVolume', 'nodeUnpublishVolume'] as const)(
    'is rejected by %s before anything happens',
    async (method) => {
      const handler = nodeHandlers(deps)[method] as (request: object, call: typeof context) => Promise<unknown>;
      const staging = method.endsWith('stageVolume') || method === 'nodeStageVolume' ? path : '/staging';
      const request = { ...base, stagingTargetPath: staging, targetPath: path, readonly: false };
      await expect(handler(request, context)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
      await expectUntouched();
    },
  );

  it('is rejected as a staging path of a publish', async () => {
    const request = { ...base, stagingTargetPath: path, targetPath: '/target', readonly: false };
    const refusal = { code: path === '' ? 'FAILED_PRECONDITION' : 'INVALID_ARGUMENT' };
    await expect(nodeHandlers(deps).nodePublishVolume?.(request, context)).rejects.toMatchObject(refusal);
    await expectUntouched();
  });
});

describe.each(hostileIds)('the ID %j', (id) => {
  const places = { volumeId: id, stagingTargetPath: '/staging', targetPath: '/target', volumePath: '/target' };
  const base = {
    ...places,
    volumeCapability: capability,
    publishContext: {},
    secrets: {},
    volumeContext: {},
    readonly: false,
  };
  const capacityRange = { requiredBytes: 1n, limitBytes: 0n };
  it.each([
    'nodeStageVolume',
    'nodeUnstageVolume',
    'nodePublishVolume',
    'nodeUnpublishVolume',
    'nodeGetVolumeStats',
    'nodeExpandVolume',
  ] as const)('is not found by %s, and nothing is changed', async (method) => {
    const handler = nodeHandlers(deps)[method] as (request: object, call: typeof context) => Promise<unknown>;
    await expect(handler({ ...base, capacityRange }, context)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expectUntouched();
  });

  it('is reported by the controller as not found, or as already deleted', async () => {
    const controller = controllerHandlers(deps);
    const notFound = { code: 'NOT_FOUND' };
    const expand = { volumeId: id, capacityRange, secrets: {}, volumeCapability: undefined };
    const snapshot = { name: 's', sourceVolumeId: id, secrets: {}, parameters: {} };
    await expect(controller.controllerExpandVolume?.(expand, context)).rejects.toMatchObject(notFound);
    await expect(controller.controllerGetVolume?.({ volumeId: id }, context)).rejects.toMatchObject(notFound);
    await expect(controller.createSnapshot?.(snapshot, context)).rejects.toMatchObject(notFound);
    await expect(controller.deleteVolume?.({ volumeId: id, secrets: {} }, context)).resolves.toEqual({});
    await expect(controller.deleteSnapshot?.({ snapshotId: id, secrets: {} }, context)).resolves.toEqual({});
    await expectUntouched();
  });
});
