import { InFlight } from '@lateen/grpc';
import { describeBlockEngine } from '@lateen/testing';
import { expect, it } from 'vitest';
import { createSnapshot } from '../controller/create-snapshot.ts';
import { createVolume } from '../controller/create-volume.ts';
import { readBlocks } from '../fake-machine/fake-disk.ts';
import { FakeNode, neverAborts as signal } from '../fake-machine/fake-node.ts';
import { localBlockEngine } from './local-block-engine.ts';

const MiB = 1024 * 1024;

const engineOn = async (node: FakeNode) => {
  const deps = { ...(await node.start()), inFlight: new InFlight() };
  return { deps, engine: localBlockEngine(deps) };
};

for (const hasReflink of [true, false]) {
  describeBlockEngine(`local on the fake machine, ${hasReflink ? 'with' : 'without'} reflink`, async () => {
    const node = new FakeNode();
    node.disk.hasReflink = hasReflink;
    const { engine } = await engineOn(node);
    return {
      engine,
      node: 'node-1',
      volumeBytes: 32 * MiB,
      write: async (device, at, bytes) => node.disk.writeDevice(device, at, bytes),
      read: async (device, at, lengthBytes) => {
        const bytes = new Uint8Array(lengthBytes);
        readBlocks(node.disk.contentOf(device).content, at, bytes);
        return bytes;
      },
      deviceBytes: async (device) => node.disk.loops.find(({ name }) => name === device)?.sizeBytes ?? 0,
      close: async () => {},
    };
  });
}

it('finds volumes and snapshots that CSI created by their CSI names', async () => {
  const { deps, engine } = await engineOn(new FakeNode());
  const volume = await createVolume(deps, { name: 'pvc-1', range: { requiredBytes: 32 * MiB } }, signal);
  await createSnapshot(deps, { name: 'snapshot-1', sourceVolumeId: volume.id }, signal);
  expect(await Array.fromAsync(engine.extents('pvc-1', 'snapshot-1', { signal }))).toEqual([]);
  await engine.deleteSnapshot('pvc-1', 'snapshot-1', { signal });
  await engine.delete('pvc-1', { signal });
  expect(deps.store.all()).toEqual([]);
});

it('blocks a CSI deletion while a reader is open', async () => {
  const { deps, engine } = await engineOn(new FakeNode());
  await engine.create({ name: 'a', sizeBytes: 32n * BigInt(MiB) }, { signal });
  await engine.snapshot('a', 's', { signal });
  const reader = await engine.openSnapshot('a', 's', { signal });
  const [{ id = '' } = {}] = deps.store.snapshots();
  expect(() => deps.inFlight.enter([{ id, mode: 'exclusive' }])).toThrow(expect.objectContaining({ code: 'ABORTED' }));
  await reader[Symbol.asyncDispose]();
  deps.inFlight.enter([{ id, mode: 'exclusive' }])[Symbol.dispose]();
});
