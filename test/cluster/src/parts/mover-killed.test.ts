import { lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { annotations, type DataDownload } from '@lateen/api-types';
import { systemClock } from '@lateen/kernel';
import { type DistantStore, startDistantStore } from '@lateen/store-rig';
import { aDataDownload, startMover } from '@lateen/testing';
import { describeTree } from '@lateen/testing/trees';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { moverCommand, moverEnvironment, rigObjects } from '../repository/mover-process.ts';
import { filesBelow, repositoryRig } from '../repository/repository-rig.ts';
import { type S3Server, startS3Server } from '../repository/s3-server.ts';

const setUpMs = 900_000;
const MiB = 1024 ** 2;
const isRoot = process.getuid?.() === 0;

let server: S3Server;
let store: DistantStore;
let source: string;
let snapshotID: string;

/** Small files in one folder, and large ones with different content, so that both kinds are incomplete when the mover is killed. */
const tree = `
mkdir small; for f in $(seq 1 400); do head -c 2000 /dev/urandom > small/f$f; done
for l in 1 2 3; do head -c 16000000 /dev/urandom > large$l; done
ln -s small/f1 link; chmod 750 small; touch -d @1700000000.123456789 small/f1 large1`;

beforeAll(async () => {
  server = await startS3Server();
  await server.makeBucket('backups');
  store = await startDistantStore({ upstream: server.endpoint, clock: systemClock });
  source = await directory('source');
  await execa('/bin/bash', ['-euc', tree], { cwd: source });
  const rig = await repositoryRig(server, { prefix: 'killed' });
  await rig.initialise();
  ({ snapshotID } = await rig.upload(source));
}, setUpMs);

afterAll(async () => {
  await store[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const mounted: string[] = [];
afterEach(async () => {
  for (const path of mounted.splice(0)) await execa('umount', [path]);
});

const directory = (name: string) => mkdtemp(join(server.directory, `${name}-`));

/** A restore of the snapshot and its movers: each gets the volume and the scratch volume of the previous one. */
async function aRestore() {
  const [volume, movers] = await Promise.all([directory('volume'), directory('mover')]);
  // A mover writes only into a mounted volume.
  await execa('mount', ['-t', 'tmpfs', '-o', 'size=100m', 'lateen-test', volume]);
  mounted.push(volume);
  const scratch = join(movers, 'scratch');
  await mkdir(scratch);
  const creationTimestamp = `${new Date(systemClock.now()).toISOString().slice(0, 19)}Z`;
  const spec = { snapshotID, backupStorageLocation: 'default', sourceNamespace: 'shop' };
  const objects = rigObjects(store.endpoint, 'kopia', 'killed');
  const attempt = (number: number) => {
    const movement: DataDownload = aDataDownload({ phase: 'InProgress', spec });
    Object.assign(movement.metadata, { creationTimestamp, annotations: { [annotations.attempts]: String(number) } });
    // Little memory, so that few files are in progress when it is killed.
    const environment = { ...moverEnvironment(), LATEEN_LIMIT_MEMORY_BYTES: String(160 * MiB) };
    return startMover({ command: moverCommand, movement, objects, volumePath: volume, directory: movers, environment });
  };
  return { volume, scratch, attempt };
}

/** Space used by the files of a volume: large files have their full size from the beginning. */
function writtenBytes(volume: string): number {
  const entries = readdirSync(volume, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + lstatSync(join(parentPath, name)).blocks * 512, 0);
}

/** Processes whose working directory is this one. */
const workersIn = (path: string): string[] =>
  readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readlinkSync(`/proc/${pid}/cwd`) === path;
    } catch {
      return false;
    }
  });

describe.skipIf(!isRoot)('a mover that is killed during a restore', () => {
  it('leaves no helper process; the next attempt fetches and writes only what is missing, and clears the scratch volume', async () => {
    const whole = await aRestore();
    store.reset();
    const end = await (await whole.attempt(1)).ended;
    expect(end.exitCode, end.log).toBe(0);
    const fetchedFromNothing = store.figures().sentBytes;

    const { volume, scratch, attempt } = await aRestore();
    store.set({ bytesPerSecond: 16 * MiB });
    const first = await attempt(1);
    while (writtenBytes(volume) < 24 * MiB) await systemClock.sleep(10);
    first.kill();
    expect(await first.ended).toMatchObject({ exitCode: null, message: '' });
    await expect.poll(() => workersIn(volume), { timeout: 60_000 }).toEqual([]);
    expect(describeTree(volume)).not.toEqual(describeTree(source));

    store.set({});
    store.reset();
    const second = await (await attempt(2)).ended;
    expect(second.exitCode, second.log).toBe(0);
    expect(describeTree(volume)).toEqual(describeTree(source));
    expect(store.figures().sentBytes).toBeLessThan(fetchedFromNothing - 16 * MiB);
    expect(JSON.parse(second.message)).toMatchObject({ report: { reader: 'packs' } });
    expect([...(await filesBelow(scratch)).keys()]).toEqual([]);
  });
});
