import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureParts, silentProgress } from '@lateen/cluster';
import { fsStore } from '@lateen/object-store-fs';
import type { FsLocation } from '@lateen/storage-location';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keepsToRates, rates } from '../providers/keeps-to-rates.ts';
import { filesBelow, providerRig, repositoryPassword } from '../providers/provider-rig.ts';

let directory: string;
let path: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lateen-provider-fs-'));
  path = join(directory, 'share');
  await mkdir(path);
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const rigOf = (more: Partial<FsLocation> = {}) =>
  providerRig({
    directory,
    location: { provider: 'fs', name: 'default', bucket: '', prefix: 'p', readOnly: false, path, ...more },
    openStore: () => fsStore({ fspath: path }),
  });

describe('a location in a directory', { timeout: 600_000 }, () => {
  it('holds a kopia repository that our engine and the plain CLI can open', async () => {
    const rig = await rigOf();
    expect(await rig.engines.kopia.initialise()).toBe('created');
    expect(await rig.engines.kopia.initialise()).toBe('opened');
    expect(await rig.roundTrip('kopia', 'of kopia')).toBe('of kopia');
    const repository = join(path, 'p', 'kopia', 'shop');
    expect(await readdir(repository)).toEqual(expect.arrayContaining(['kopia.repository.f', 'udmrepo.Repository.f']));
    expect((await stat(repository)).mode & 0o777).toBe(0o700);
    for (const file of await filesBelow(repository)) expect((await stat(file)).mode & 0o777, file).toBe(0o600);
    expect(await snapshotsByHand(repository)).toHaveLength(1);
    expect(await rig.leftovers()).toEqual([]);
    const said = JSON.stringify([rig.seen.map(({ args, stdin }) => [args, String(stdin)]), rig.log]);
    expect(said).not.toContain(repositoryPassword);
  });

  it('adopts a kopia repository that was created manually', async () => {
    const rig = await rigOf();
    const repository = join(path, 'p', 'kopia', 'shop');
    await mkdir(repository, { recursive: true });
    await byHand(['repository', 'create', 'filesystem', `--path=${repository}`]);
    expect(await rig.engines.kopia.initialise()).toBe('adopted');
    expect(await rig.roundTrip('kopia', 'adopted')).toBe('adopted');
  });

  it('finishes an interrupted creation, and touches no other files', async () => {
    const rig = await rigOf();
    const repository = join(path, 'p', 'kopia', 'shop');
    await mkdir(repository, { recursive: true });
    await writeFile(join(repository, '.shards'), '{"default":[1,3],"maxNonShardedLength":20}');
    await writeFile(join(repository, 'kopia.repository.f.tmp.0123456789abcdef'), 'half');
    expect(await rig.engines.kopia.initialise()).toBe('created');
    await rm(repository, { recursive: true });
    await mkdir(repository, { recursive: true });
    await writeFile(join(repository, 'holiday.jpg'), 'x');
    await expect(rig.engines.kopia.initialise()).rejects.toMatchObject({ code: 'REPOSITORY_LOCATION_NOT_EMPTY' });
    expect(await readFile(join(repository, 'holiday.jpg'), 'utf8')).toBe('x');
  });

  it('holds a restic repository', async () => {
    const rig = await rigOf();
    const identifier = join(path, 'p', 'restic', 'shop');
    expect(await rig.engines.restic.initialise()).toEqual({ outcome: 'created', identifier });
    expect(await rig.engines.restic.initialise()).toMatchObject({ outcome: 'opened' });
    expect(await rig.roundTrip('restic', 'of restic')).toBe('of restic');
    const env = { HOME: directory, RESTIC_PASSWORD: repositoryPassword, RESTIC_REPOSITORY: identifier };
    const { stdout } = await execa('restic', ['snapshots', '--json'], { env, extendEnv: false, preferLocal: false });
    expect(JSON.parse(stdout)).toHaveLength(1);
    expect(await rig.leftovers()).toEqual([]);
  });

  it('limits both engines to its rates', async () => {
    await keepsToRates(await rigOf(rates));
  });

  it('is not created when nothing is mounted there', async () => {
    const rig = await rigOf({ path: join(directory, 'unmounted') });
    await expect(rig.engines.kopia.initialise()).rejects.toMatchObject({ code: 'BUCKET_NOT_FOUND' });
    await expect(rig.engines.restic.initialise()).rejects.toMatchObject({ code: 'BUCKET_NOT_FOUND' });
    expect(await readdir(directory)).not.toContain('unmounted');
  });

  it('is only read when it is read-only', async () => {
    const rig = await rigOf();
    await rig.engines.kopia.initialise();
    const before = (await filesBelow(path)).sort();
    const readOnly = await rigOf({ readOnly: true });
    expect(await readOnly.engines.kopia.initialise()).toBe('opened');
    expect((await filesBelow(path)).sort()).toEqual(before);
    await expect(readOnly.engines.restic.initialise()).rejects.toMatchObject({ code: 'REPOSITORY_NOT_FOUND' });
  });
});

/** The kopia CLI as a user runs it. */
async function byHand(args: readonly string[]): Promise<string> {
  const { kopia = '' } = await ensureParts(['kopia'], silentProgress);
  const env = { HOME: join(directory, 'me'), KOPIA_PASSWORD: repositoryPassword, KOPIA_CHECK_FOR_UPDATES: 'false' };
  return (await execa(kopia, args, { env, extendEnv: false, preferLocal: false })).stdout;
}

async function snapshotsByHand(repository: string): Promise<unknown[]> {
  const owner = ['--override-username=default', '--override-hostname=default'];
  await byHand(['repository', 'connect', 'filesystem', `--path=${repository}`, ...owner]);
  return JSON.parse(await byHand(['snapshot', 'list', '--all', '--json']));
}
