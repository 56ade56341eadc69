import { readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Instance } from '@lateen/block-engine';
import { systemClock as clock } from '@lateen/kernel';
import { execa } from 'execa';
import { afterEach, describe, expect, it } from 'vitest';
import type { RigNode } from '../block/instance-manager-rig.ts';
import {
  detach,
  type ManagedVolume,
  type ManagedVolumeOptions,
  managedVolume,
  volume,
} from '../block/instance-manager-volume.ts';
import { leftovers } from '../block/managed-leftovers.ts';
import { markedDevices } from '../block/marked-devices.ts';

const testMs = 240_000;
const isRoot = process.getuid?.() === 0;
const replicas = { 'r-a': 0, 'r-b': 1 };

let undo = new AsyncDisposableStack();
afterEach(async () => {
  await undo.disposeAsync();
  undo = new AsyncDisposableStack();
}, testMs);

/** A volume that is attached on the first node, and the mark of the devices there. */
async function attached(
  firstRuns: NonNullable<ManagedVolumeOptions['firstRuns']>,
): Promise<{ managed: ManagedVolume; mark: string }> {
  const managed = undo.use(await managedVolume(['r-a', 'r-b'], { firstRuns }));
  await Promise.all(managed.nodes.map((node) => node.start()));
  await managed.attach(1, replicas);
  return { managed, mark: (await readFile(join(managed.nodes[0].runtime, 'device-mark'), 'utf8')).trim() };
}

/** The device of another instance manager, whose processes are also gone. */
async function foreignDevice(directory: string): Promise<string> {
  const file = join(directory, `${volume.name}.another`);
  await writeFile(file, '');
  await truncate(file, 2 ** 20);
  const path = (await execa('losetup', ['--find', '--show', file])).stdout;
  undo.defer(async () => void (await execa('losetup', ['--detach', path])));
  return path;
}

async function frontendOf({ host }: RigNode): Promise<Instance | undefined> {
  for await (const event of host.watch({ signal: clock.deadline(60_000) }))
    if (event.type === 'changed' && event.instance.kind === 'frontend') return event.instance;
  return undefined;
}

describe.skipIf(!isRoot)('a device whose pod was killed', () => {
  it('is found by the next one, reported as ended, and removed with the volume', { timeout: testMs }, async () => {
    const { managed, mark } = await attached({ inPod: true });
    const [n1] = managed.nodes;
    await n1.kill();
    expect(await markedDevices(mark)).toHaveLength(1);
    await n1.start();
    expect(await markedDevices(mark)).toMatchObject([{ backingFile: `/${volume.name}.${mark}`, isLeaving: false }]);
    expect(await frontendOf(n1)).toMatchObject({ state: 'error', error: { code: 'FRONTEND_ENDED' } });
    expect(await detach(managed, 1, replicas)).toBe(false);
    expect(await leftovers(managed)).toEqual([]);
  });

  it('is removed at the start of the next one when nothing else is known of it; devices of others are not', {
    timeout: testMs,
  }, async () => {
    const { managed, mark } = await attached({ inPod: true });
    const [{ runtime, devices, kill, start }] = managed.nodes;
    await kill();
    const foreign = await foreignDevice(managed.directory);
    await symlink(foreign, join(devices, 'other'));
    await rm(join(runtime, 'instances'), { recursive: true });
    await start();
    expect(await markedDevices(mark)).toEqual([]);
    expect(await readdir(devices)).toEqual(['other']);
    expect(await readdir(join(runtime, 'fronts'))).toEqual([]);
    expect(await markedDevices('another')).toMatchObject([{ path: foreign }]);
  });
});

describe.skipIf(!isRoot)('a device whose pod ends', () => {
  it('is removed with it, together with its links', { timeout: testMs }, async () => {
    const { managed, mark } = await attached({ command: 'keep' });
    const [{ devices, stop }] = managed.nodes;
    expect(await markedDevices(mark)).toHaveLength(1);
    await stop();
    expect(await markedDevices(mark)).toEqual([]);
    expect(await readdir(devices)).toEqual([]);
  });
});
