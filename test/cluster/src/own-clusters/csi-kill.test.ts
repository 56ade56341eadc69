import { createHash } from 'node:crypto';
import { mkdir, open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  attempt,
  command,
  createSnapshotRequest,
  createVolumeRequest,
  type DriverProcess,
  expandRequest,
  leftoversBelow,
  makeScratch,
  nodeExpandRequest,
  type Places,
  publishRequest,
  type Scratch,
  stageRequest,
  startDriver,
} from '@lateen/csi-rig';
import { systemClock } from '@lateen/kernel';
import { describe, expect, it } from 'vitest';

const MiB = 1024 ** 2;
const diskBytes = 20 * 1024 * MiB;
const volumeBytes = 320 * MiB;
const grownBytes = 400 * MiB;
const dataBytes = 8 * MiB;
/** The longest call (mkfs at stage) takes about this long, so that kills happen before, during and after each call. */
const killWithinMs = 150;
const callMs = 60_000;
const isRoot = process.getuid?.() === 0;

/** A small random generator with a seed (mulberry32), so that a failure can be repeated. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const anyTime = () => ({ signal: systemClock.deadline(callMs) });

/** One life of a volume, in which the driver is killed once during each call and the call is then repeated. */
class KilledLife {
  readonly #scratch: Scratch;
  readonly #random: () => number;
  readonly #fsType: string | undefined;
  #driver: DriverProcess;

  private constructor(scratch: Scratch, driver: DriverProcess, row: { seed: number; fsType: string | undefined }) {
    this.#scratch = scratch;
    this.#driver = driver;
    this.#random = seeded(row.seed);
    this.#fsType = row.fsType;
  }

  static async begin(scratch: Scratch, row: { seed: number; fsType: string | undefined }): Promise<KilledLife> {
    await mkdir(join(scratch.directory, 'targets'));
    return new KilledLife(scratch, await startDriver(scratch, { nodeId: 'node-1' }), row);
  }

  places(volumeId: string, name: string): Places {
    const under = (what: string) => join(this.#scratch.directory, 'targets', `${name}-${what}`);
    return { volumeId, stagingTargetPath: under('staging'), targetPath: under('target'), fsType: this.#fsType };
  }

  /** Starts the call, kills the driver during it, restarts the driver, looks for leaks, repeats the call. */
  async killed<T>(call: (driver: DriverProcess) => Promise<T>): Promise<T> {
    const first = call(this.#driver).catch(() => undefined);
    await systemClock.sleep(this.#random() * killWithinMs);
    await this.#driver.kill();
    await first;
    this.#driver = await startDriver(this.#scratch, { nodeId: 'node-1' });
    await this.#expectNothingLeaked();
    return call(this.#driver);
  }

  calm<T>(call: (driver: DriverProcess) => Promise<T>): Promise<T> {
    return call(this.#driver);
  }

  async end(): Promise<void> {
    expect(await this.#driver.stop()).toBe(0);
    expect(await readdir(join(this.#scratch.stateParent, 'lateen/records'))).toEqual([]);
    expect(await readdir(join(this.#scratch.stateParent, 'lateen/data'))).toEqual([]);
    const left = await leftoversBelow(this.#scratch.directory);
    expect(left).toEqual({ mounts: [this.#scratch.stateParent], loops: [] });
    expect(await readdir(join(this.#scratch.directory, 'targets'))).toEqual(expect.not.arrayContaining(['src-target']));
  }

  async #expectNothingLeaked(): Promise<void> {
    const state = join(this.#scratch.stateParent, 'lateen');
    const records = await readdir(join(state, 'records'));
    expect(records.filter((name) => !name.endsWith('.json'))).toEqual([]);
    for (const name of records) {
      expect(await readFile(join(state, 'records', name), 'utf8')).toContain('"state":"ready"');
    }
    const data = await readdir(join(state, 'data'));
    expect(data.map((name) => name.replace('.img', '')).sort()).toEqual(
      records.map((name) => name.replace('.json', '')).sort(),
    );
    const { loops, mounts } = await leftoversBelow(this.#scratch.directory);
    const table = await readFile('/proc/self/mountinfo', 'utf8');
    const isMounted = (loop: string) => table.includes(` ${loop} `) || table.includes(` ${loop.slice('/dev'.length)} `);
    expect(loops.filter((loop) => !isMounted(loop))).toEqual([]);
    // A frozen file system would block this.
    for (const point of mounts.filter((path) => path.endsWith('-target') && this.#fsType !== undefined)) {
      expect(await attempt('timeout', '5', 'sh', '-c', 'echo alive > "$1/probe" && sync "$1/probe"', 'sh', point)).toBe(
        true,
      );
    }
  }
}

async function writeData(target: string, isBlock: boolean): Promise<string> {
  const bytes = Buffer.alloc(dataBytes, 'lateen keeps what it is given. ');
  const handle = await open(isBlock ? target : join(target, 'data'), isBlock ? 'r+' : 'w');
  await handle.write(bytes);
  await handle.sync();
  await handle.close();
  return createHash('sha256').update(bytes).digest('hex');
}

async function readData(target: string, isBlock: boolean): Promise<string> {
  const handle = await open(isBlock ? target : join(target, 'data'), 'r');
  const bytes = Buffer.alloc(dataBytes);
  await handle.read(bytes, 0, dataBytes, 0);
  await handle.close();
  return createHash('sha256').update(bytes).digest('hex');
}

const rows = [
  { title: 'ext4', fsType: 'ext4', seed: 1 },
  { title: 'xfs', fsType: 'xfs', seed: 2 },
  { title: 'block', fsType: undefined, seed: 3 },
];

describe.skipIf(!isRoot)('kill -9 during every call', () => {
  it.each(rows)(
    '$title, seed $seed: a restart leaks nothing, the repeated call succeeds, the data is complete',
    async (row) => {
      await using scratch = await makeScratch('xfs', diskBytes);
      const isBlock = row.fsType === undefined;
      const life = await KilledLife.begin(scratch, row);
      const create = (
        name: string,
        bytes: number,
        from?: { snapshot?: { snapshotId: string }; volume?: { volumeId: string } },
      ) =>
        life.killed(async ({ controller }) => {
          const rest = { fsType: row.fsType, ...(from === undefined ? {} : { from }) };
          const { volume } = await controller.createVolume(createVolumeRequest(name, bytes, rest), anyTime());
          return volume?.volumeId ?? '';
        });
      const mount = async (places: Places) => {
        await life.killed(({ node }) => node.nodeStageVolume(stageRequest(places), anyTime()));
        await life.killed(({ node }) => node.nodePublishVolume(publishRequest(places), anyTime()));
      };
      const unmount = async ({ volumeId, stagingTargetPath, targetPath }: Places) => {
        await life.killed(({ node }) => node.nodeUnpublishVolume({ volumeId, targetPath }, anyTime()));
        await life.killed(({ node }) => node.nodeUnstageVolume({ volumeId, stagingTargetPath }, anyTime()));
      };

      const source = life.places(await create('src', volumeBytes), 'src');
      await mount(source);
      const sum = await writeData(source.targetPath, isBlock);

      const snapshotId = await life.killed(async ({ controller }) => {
        const { snapshot } = await controller.createSnapshot(createSnapshotRequest('snap', source.volumeId), anyTime());
        return snapshot?.snapshotId ?? '';
      });
      const restored = life.places(await create('restored', grownBytes, { snapshot: { snapshotId } }), 'restored');
      const cloned = life.places(
        await create('cloned', volumeBytes, { volume: { volumeId: source.volumeId } }),
        'cloned',
      );

      await life.killed(({ controller }) =>
        controller.controllerExpandVolume(expandRequest(source.volumeId, grownBytes), anyTime()),
      );
      // Without CAP_SYS_RESOURCE, ext4 cannot grow while a pod has it mounted: the next stage grows it.
      if (row.fsType !== 'ext4') {
        await life.killed(({ node }) => node.nodeExpandVolume(nodeExpandRequest(source, grownBytes), anyTime()));
      }
      expect(await readData(source.targetPath, isBlock)).toBe(sum);
      await unmount(source);

      for (const copy of [source, restored, cloned]) {
        await mount(copy);
        expect(await readData(copy.targetPath, isBlock)).toBe(sum);
        const size = isBlock ? await command('blockdev', '--getsize64', copy.targetPath) : await fileSystemBytes(copy);
        // A file system reserves some of its device for itself.
        expect(Number(size)).toBeGreaterThan((copy === cloned ? volumeBytes : grownBytes) * 0.7);
        await unmount(copy);
        await life.killed(({ controller }) =>
          controller.deleteVolume({ volumeId: copy.volumeId, secrets: {} }, anyTime()),
        );
      }
      await life.killed(({ controller }) => controller.deleteSnapshot({ snapshotId, secrets: {} }, anyTime()));
      await life.end();
    },
  );
});

async function fileSystemBytes({ targetPath }: Places): Promise<string> {
  return (await command('df', '--block-size=1', '--output=size', targetPath)).split('\n').at(-1) ?? '';
}
