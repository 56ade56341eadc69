import { randomBytes } from 'node:crypto';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock, systemRandom } from '@lateen/kernel';
import type { RepositoryTarget } from '@lateen/repository';
import type { ReadStoredData, VerifyStoredSnapshot } from '@lateen/repository/operations';
import { recordingLog } from '@lateen/testing';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repositoryRig, testPassword } from '../repository/repository-rig.ts';
import { type S3Server, startS3Server } from '../repository/s3-server.ts';

const setUpMs = 900_000;
const { signal } = new AbortController();
/** The modules that the Job of a check loads. */
const program = new URL('../../../../apps/repo-maintenance/src/read-stored-data.ts', import.meta.url);

let server: S3Server;
beforeAll(async () => {
  server = await startS3Server();
  await server.makeBucket('backups');
}, setUpMs);
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

async function repository(prefix: string, script: string, generations: number) {
  const rig = await repositoryRig(server, { prefix });
  await rig.initialise();
  const volume = await mkdtemp(join(server.directory, 'volume-'));
  const snapshots: string[] = [];
  for (let generation = 0; generation < generations; generation++) {
    await execa('/bin/bash', ['-euc', script], { cwd: volume, env: { GENERATION: String(generation) } });
    snapshots.push((await rig.upload(volume)).snapshotID);
  }
  const target: RepositoryTarget = {
    location: server.location({ prefix }),
    volumeNamespace: 'shop',
    password: testPassword,
    uid: 'u',
    cacheLimitMB: 100,
  };
  const setUp = () => {
    const MiB = 1024 ** 2;
    const budget = { threads: 2, threadHeapMB: 24, readerBytes: 64 * MiB, indexBytes: 64 * MiB };
    const ports = { clock: systemClock, random: systemRandom, log: recordingLog(), environment: {} };
    return { ...ports, target, budget, scratchDirectory: rig.workDirectory };
  };
  const check = async (percent = 100) => {
    const problems: string[] = [];
    const { readStoredData } = (await import(program.href)) as {
      readStoredData(setUp: object, options: Parameters<ReadStoredData>[0]): Promise<number>;
    };
    const contents = await readStoredData(setUp(), { percent, onProblem: (text) => problems.push(text), signal });
    return { contents, problems };
  };
  const verify = async (snapshotID: string, volumePath?: string, percent = 100) => {
    const problems: string[] = [];
    const { readSnapshot } = (await import(program.href)) as {
      readSnapshot(setUp: object, options: Parameters<VerifyStoredSnapshot>[0]): ReturnType<VerifyStoredSnapshot>;
    };
    const onProblem = (text: string) => problems.push(text);
    return { ...(await readSnapshot(setUp(), { snapshotID, percent, volumePath, onProblem, signal })), problems };
  };
  const blobs = join(server.directory, 'buckets', 'backups', prefix, 'kopia', 'shop');
  const packs = async () => {
    const { stdout } = await execa('find', [blobs, '-name', 'p*', '-type', 'f', '-printf', '%s %p\n']);
    const bySize = stdout.split('\n').sort((a, b) => Number.parseInt(b, 10) - Number.parseInt(a, 10));
    return bySize.map((line) => line.slice(line.indexOf(' ') + 1));
  };
  return { rig, volume, snapshots, check, verify, packs };
}

const script = `for f in $(seq 1 200); do head -c 300 /dev/urandom > "f$f-$((f % 20 == GENERATION ? GENERATION : 0))"; done
head -c 9000000 /dev/urandom > "large $GENERATION"`;

describe('a check that reads whole packs', () => {
  it('counts the same as the engine, and finds exactly the damage that the engine finds', async () => {
    const { rig, check, packs, snapshots } = await repository('exact', script, 3);
    const cli = await rig.kopia();
    await cli.connect();
    const counted = (await cli.run('content', 'list')).split('\n').length;
    expect(await check()).toEqual({ contents: counted, problems: [] });
    const [pack = ''] = await packs();
    const bytes = await readFile(pack);
    for (const at of [5_000, 3_000_000]) bytes[at] = (bytes[at] ?? 0) ^ 1;
    await rm(pack);
    await writeFile(pack, bytes);
    const { problems } = await check();
    const idsOf = (text: string) => [...text.matchAll(/content (\w{32,}) (?:in pack|is invalid)/g)].map(([, id]) => id);
    const engine = await cli.run('content', 'verify', '--download-percent=100').catch((error: Error) => error.message);
    const ours = problems.flatMap((text) => idsOf(text)).sort();
    expect(ours.length).toBeGreaterThan(0);
    expect(ours).toEqual([...new Set(idsOf(engine))].sort());
    for (const text of problems) {
      expect(text).toMatch(/is damaged: .*; needed by snapshot .* of snapshot-data-upload-download\/kopia\/shop\/data/);
      expect(snapshots.some((id) => text.includes(id))).toBe(true);
      expect(text).toMatch(/"(large \d|f\d+-\d)"/);
    }
  });

  it('reports for a missing pack how much it contained and which snapshots need it', async () => {
    const { check, packs } = await repository('gone', script, 1);
    const [pack = ''] = await packs();
    await rm(pack);
    const { problems } = await check(1);
    expect(problems).toEqual([expect.stringMatching(/^pack p[\w-]+ is missing: .* lost; needed by snapshot .*"/)]);
  });
});

describe('a single snapshot', () => {
  it('is read only for its own data, and damage is found only in the snapshot that has it', async () => {
    const { snapshots, verify, packs } = await repository('single', script, 2);
    const [first = '', second = ''] = snapshots;
    const sound = await verify(second);
    expect(sound).toMatchObject({ problems: [], comparedBytes: 0 });
    expect(sound.readBytes).toBeGreaterThan(9_000_000);
    expect((await verify(second, undefined, 20)).readBytes).toBeLessThan(sound.readBytes);
    const [pack = ''] = await packs();
    await rm(pack);
    const found = [...(await verify(first)).problems, ...(await verify(second)).problems];
    expect(found.length).toBeGreaterThan(0);
    for (const text of found) expect(text).toMatch(/^"[^"]+", \d+ bytes from \d+ on cannot be read: /);
  });

  it('of a block volume is compared with the volume, and the first difference is reported', async () => {
    const { rig, volume, verify } = await repository('device', '', 0);
    const sizeBytes = 9 * 1024 ** 2;
    const image = join(volume, 'image');
    await writeFile(image, Buffer.concat([randomBytes(sizeBytes - 4096), Buffer.alloc(4096)]));
    const { stdout: device } = await execa('losetup', ['--find', '--show', image]);
    try {
      const request = { volumePath: device, volumeMode: 'Block', config: {}, onProgress: () => {}, signal } as const;
      const source = { path: 'snapshot-data-upload-download/kopia/shop/block', tags: {} };
      const { snapshotID } = await rig.use((uploader) => uploader.upload({ ...request, source }));
      expect(await verify(snapshotID, device)).toMatchObject({ comparedBytes: sizeBytes, problems: [] });
      const disk = await open(device, 'r+');
      await disk.write(Buffer.from('X'), 0, 1, 5_000_000);
      await disk.sync();
      await disk.close();
      const { problems } = await verify(snapshotID, device);
      expect(problems).toEqual(['the volume has other bytes than the snapshot from offset 5000000 on']);
    } finally {
      await execa('losetup', ['--detach', device]);
    }
  });
});
