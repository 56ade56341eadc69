import { doubtReason, type MetadataQuestion, type RangeList, readChangedRanges } from '@lateen/changed-blocks';
import { createVolumeRequest, type DriverProcess, makeScratch, type Scratch, startDriver } from '@lateen/csi-rig';
import { silentLogger, systemClock, systemRandom } from '@lateen/kernel';
import { chunksIn, fixedChunks } from '@lateen/kopia-format';
import type { KubeApi } from '@lateen/kube';
import { recordingLog, seededRandom } from '@lateen/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chunkBytes as spliceChunkBytes, spliceRig } from '../repository/splice-rig.ts';
import {
  contentOf,
  fragment,
  patched,
  type RawVolume,
  rawVolume,
  release,
  scribble,
  takeSnapshot,
  volumeBytes,
} from '../snapshot-metadata/raw-volume.ts';
import { mover, namespace, nobody, tellService, tellSnapshot } from '../snapshot-metadata/sidecar-objects.ts';
import { type SidecarRig, startSidecarRig } from '../snapshot-metadata/sidecar-rig.ts';

const isRoot = process.getuid?.() === 0;
const signal = new AbortController().signal;
const diskBytes = 2 * 1024 * 1024 * 1024;
const chunkBytes = 4 * 1024 * 1024;

/** Ranges as the driver lists them. */
const tuplesOf = (list: RangeList) =>
  [...list].map(({ offset, length }) => ({ byteOffset: BigInt(offset), sizeBytes: BigInt(length) }));

describe.skipIf(!isRoot)('changed blocks through the real sidecar and a real API server', { timeout: 120_000 }, () => {
  const stack = new AsyncDisposableStack();
  let scratch: Scratch;
  let driver: DriverProcess;
  let rig: SidecarRig;
  let volume: RawVolume;
  const handles: string[] = [];

  beforeAll(async () => {
    scratch = stack.use(await makeScratch('xfs', diskBytes));
    driver = stack.use(await startDriver(scratch, { nodeId: 'node-1' }));
    rig = stack.use(await startSidecarRig(scratch, driver));
    volume = await rawVolume(scratch, driver, 'data');
    const random = seededRandom(11);
    for (const name of ['one', 'two', 'three']) {
      await scribble(volume, random, name === 'one' ? 40 : 6);
      handles.push(await snapshotted(volume, name));
    }
  }, 300_000);
  afterAll(async () => {
    if (volume !== undefined) await release(scratch, driver, volume);
    await stack.disposeAsync();
  }, 60_000);

  async function snapshotted(of: RawVolume, name: string): Promise<string> {
    const handle = await takeSnapshot(driver, of, name);
    await tellSnapshot(rig.kube, rig.driver, name, handle);
    return handle;
  }

  const ask = (change: Partial<MetadataQuestion>, { kube = rig.kube as KubeApi, log = silentLogger } = {}) =>
    readChangedRanges(
      { kube, clock: systemClock, random: systemRandom, log },
      {
        driver: rig.driver,
        serviceAccount: mover,
        namespace,
        snapshot: 'three',
        sizeBytes: volumeBytes,
        chunkBytes,
        ...change,
      },
      signal,
    );
  const told = (change: Partial<MetadataQuestion>) =>
    ask(change).then(
      () => 'an answer',
      (error: unknown) => doubtReason(error) ?? error,
    );

  it('are everything that differs: applying the changes to the base gives the target', async () => {
    const target = await contentOf(scratch, handles[2] ?? '');
    for (const baseHandle of handles) {
      const changed = await ask({ baseHandle });
      const base = await contentOf(scratch, baseHandle);
      expect(patched(base, target, tuplesOf(changed)).equals(target)).toBe(true);
      expect(changed.bytes).toBeLessThan(volumeBytes / 2);
    }
    expect((await ask({ baseHandle: handles[2] ?? '' })).count).toBe(0);
  });

  it('give snapshots in a repository that kopia restores byte for byte, by reading only changed chunks', async () => {
    const repository = await spliceRig(volumeBytes);
    try {
      const fill = async (handle: string) => {
        const content = await contentOf(scratch, handle);
        await repository.write(0, volumeBytes, content);
        return content;
      };
      await fill(handles[0] ?? '');
      let [baseID, baseHandle] = [await repository.takeWhole(), handles[0] ?? ''];
      for (const [at, snapshot] of ['two', 'three'].entries()) {
        const changed = await ask({ snapshot, baseHandle, chunkBytes: spliceChunkBytes });
        const handle = handles[at + 1] ?? '';
        const content = await fill(handle);
        const made = await repository.splice(baseID, [...changed]);
        expect(made.changedBytes).toBe(chunksIn(fixedChunks(changed, spliceChunkBytes)) * spliceChunkBytes);
        expect(made.readBytes).toBeLessThan(volumeBytes / 2);
        expect((await repository.restored(made.snapshotID)).equals(content)).toBe(true);
        [baseID, baseHandle] = [made.snapshotID, handle];
      }
    } finally {
      await repository.close();
    }
  });

  it('are all blocks with data when there is no base', async () => {
    const target = await contentOf(scratch, handles[2] ?? '');
    const allocated = await ask({});
    expect(patched(Buffer.alloc(volumeBytes), target, tuplesOf(allocated)).equals(target)).toBe(true);
  });

  it('are returned with a new token when the first one has expired, and not when that has expired too', async () => {
    const expired = await rig.expiredToken(mover);
    let asked = 0;
    const withExpired = (times: number): KubeApi => ({
      ...bound(rig.kube),
      create: async (type, object, options) => {
        if (options?.subresource !== 'token') return await rig.kube.create(type, object, options);
        asked += 1;
        return asked > times
          ? await rig.kube.create(type, object, options)
          : ({ ...(object as object), status: { token: expired } } as never);
      },
    });
    expect((await ask({ baseHandle: handles[0] ?? '' }, { kube: withExpired(1) })).count).toBeGreaterThan(0);
    expect(asked).toBe(2);
    asked = 0;
    await expect(ask({}, { kube: withExpired(9) })).rejects.toMatchObject({ code: 'DELTA_TOKEN_REFUSED' });
    expect(asked).toBe(2);
  });

  it('are denied to an account that may not get snapshots in the namespace', async () => {
    expect(await told({ serviceAccount: nobody })).toBe('we may not ask for changed blocks');
  });

  it('are not requested from a server with another authority or another name', async () => {
    const { kube, network } = rig;
    const address = `localhost:${network.port}`;
    try {
      await tellService(kube, rig.driver, { address, authority: rig.otherAuthority });
      await expect(ask({})).rejects.toMatchObject({ code: 'DELTA_CERTIFICATE_WRONG' });
      await tellService(kube, rig.driver, { address: `127.0.0.1:${network.port}`, authority: rig.authority });
      await expect(ask({})).rejects.toMatchObject({
        code: 'DELTA_CERTIFICATE_WRONG',
        message: expect.stringContaining('ERR_TLS_CERT_ALTNAME_INVALID'),
      });
    } finally {
      await tellService(kube, rig.driver, { address, authority: rig.authority });
    }
  });

  it('are unknown for snapshots of two volumes, a deleted snapshot, and a volume of another size', async () => {
    const other = await driver.controller.createVolume(createVolumeRequest('other', volumeBytes), { signal });
    const others = await snapshotted({ id: other.volume?.volumeId ?? '', device: '' }, 'others');
    expect(await told({ baseHandle: others })).toBe('the driver refuses to compare the snapshots');
    await driver.controller.deleteSnapshot({ snapshotId: others, secrets: {} }, { signal });
    expect(await told({ baseHandle: others })).toBe('base snapshot gone');
    expect(await told({ snapshot: 'others' })).toBe('the driver does not know the snapshot');
    expect(await told({ sizeBytes: 2 * volumeBytes })).toBe(
      'the list of changed blocks is of a volume of another size',
    );
  });

  it('are unknown when the driver has no service', async () => {
    expect(await told({ driver: 'other.example' })).toBe(
      'nothing in the cluster tells changed blocks of this driver: it has no SnapshotMetadataService',
    );
  });

  it('continue after the connection was cut, and after the sidecar was killed', async () => {
    const bytes = 8 * volumeBytes;
    const large = await rawVolume(scratch, driver, 'large', bytes);
    try {
      const baseHandle = await snapshotted(large, 'empty');
      await fragment(large, bytes);
      await snapshotted(large, 'full');
      const question = { snapshot: 'full', baseHandle, sizeBytes: bytes };
      const whole = tuplesOf(await ask(question));
      expect(whole.length).toBeGreaterThan(20_000);

      const log = recordingLog();
      rig.network.cutAfter(100_000);
      expect(tuplesOf(await ask(question, { log }))).toEqual(whole);
      expect(rig.network.cuts).toBeGreaterThan(0);
      const offsets = log.lines.map(({ fields }) => Number(fields.offset));
      // Each stream started after the data of the previous one.
      expect(offsets.filter((offset) => offset > 0).length).toBeGreaterThan(0);
      expect(offsets).toEqual(offsets.toSorted((a, b) => a - b));
      rig.network.cutAfter(undefined);

      const asked = ask(question);
      await rig.restartSidecar();
      expect(tuplesOf(await asked)).toEqual(whole);
    } finally {
      rig.network.cutAfter(undefined);
      await driver.node.nodeUnpublishVolume({ volumeId: large.id, targetPath: large.device }, { signal });
      const stagingTargetPath = large.device.replace(/device$/, 'staging');
      await driver.node.nodeUnstageVolume({ volumeId: large.id, stagingTargetPath }, { signal });
    }
  });
});

/** The methods of a client are those of its class. */
function bound(kube: KubeApi): KubeApi {
  const names = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'] as const;
  return Object.fromEntries(names.map((name) => [name, (kube[name] as () => never).bind(kube)])) as unknown as KubeApi;
}
