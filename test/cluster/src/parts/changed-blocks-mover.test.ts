import { connect, createServer } from 'node:net';
import { repositoryCredentials, secretType } from '@lateen/api-types';
import { allProcesses } from '@lateen/child-process';
import { seededRandom } from '@lateen/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sourcePath } from '../repository/repository-rig.ts';
import { forward } from '../roles/forward.ts';
import { type ChangesRig, flagsFor, startChangesRig, type Uploaded } from '../snapshot-metadata/changes-rig.ts';
import { scribble, takeSnapshot, volumeBytes } from '../snapshot-metadata/raw-volume.ts';
import { namespace, nobody, tellService } from '../snapshot-metadata/sidecar-objects.ts';

/** The whole of it: what the mover finds out, asks, reads, stores and tells, and what is restored from that. */
const isRoot = process.getuid?.() === 0;
const chunk = 4 * 1024 ** 2;

describe.skipIf(!isRoot)('a data mover that reads what has changed', { timeout: 120_000 }, () => {
  let rig: ChangesRig;
  const random = seededRandom(7);
  /** The upload whose snapshot was kept last. */
  let base: Uploaded;

  beforeAll(async () => {
    rig = await startChangesRig(volumeBytes);
    await scribble(rig.volume, random, 60);
    base = await (await rig.start()).ended;
    await rig.keep(base);
  }, 300_000);
  afterAll(() => rig?.[Symbol.asyncDispose](), 60_000);

  /** Changes little, and uploads; what is stored must be what is on the device, whatever was read. */
  async function uploaded(options: Parameters<ChangesRig['start']>[0] = {}): Promise<Uploaded> {
    await scribble(rig.volume, random, 2);
    const content = await rig.content();
    const upload = await (await rig.start(options)).ended;
    expect(upload.message).toContain('snapshotID');
    expect((await rig.restored(upload.result?.snapshotID ?? '')).equals(content)).toBe(true);
    return upload;
  }
  const reasonOf = ({ result }: Uploaded) => result?.readReport?.fullReadReason;
  const expectSpliced = ({ result, log }: Uploaded) => {
    expect(result?.readReport, log).toEqual({
      readBytes: result?.incrementalBytes,
      changedBytes: result?.incrementalBytes,
      uploadedBytes: expect.any(Number),
    });
    expect(result?.incrementalBytes).toBeLessThanOrEqual(volumeBytes - chunk);
  };
  const place = () => ({ address: `localhost:${rig.sidecar.network.port}`, authority: rig.sidecar.authority });
  const told = (change: Partial<ReturnType<typeof place>>) =>
    tellService(rig.kube, rig.sidecar.driver, { ...place(), ...change });

  it('reads all that has data once, and then only chunks that have changed, upload by upload', async () => {
    expect(base.result?.readReport).toEqual({
      readBytes: base.result?.incrementalBytes,
      fullReadReason: 'first backup of the volume',
    });
    // The volume is thin, and the driver tells which blocks it has.
    expect(base.result?.incrementalBytes).toBeLessThan(volumeBytes / 2);
    for (let round = 0; round < 2; round++) {
      const next = await uploaded();
      expectSpliced(next);
      await rig.keep(next);
      base = next;
    }
  });

  it('makes two snapshots of one base at the same time', async () => {
    await scribble(rig.volume, random, 2);
    const content = await rig.content();
    const both = await Promise.all([rig.start(), rig.start()]);
    for (const upload of await Promise.all(both.map(({ ended }) => ended))) {
      expectSpliced(upload);
      expect((await rig.restored(upload.result?.snapshotID ?? '')).equals(content)).toBe(true);
      base = upload;
    }
    // None of the two was kept, but the one before still is.
    expectSpliced(await uploaded());
  });

  it('survives that its repository server is killed after it was asked for the base', async () => {
    base = await uploaded();
    await rig.keep(base);
    let killed = 0;
    let pid = 0;
    const between = createServer((client) => {
      void serverOf(pid).then((server) => {
        if (server !== undefined && killed++ === 0) process.kill(server, 'SIGKILL');
        forward(client, connect(rig.sidecar.network.port, '127.0.0.1'));
      });
    });
    await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve));
    const { port } = between.address() as { port: number };
    await told({ address: `localhost:${port}` });
    try {
      await scribble(rig.volume, random, 2);
      const content = await rig.content();
      const started = await rig.start();
      pid = started.pid;
      const upload = await started.ended;
      expect(killed).toBeGreaterThan(0);
      expectSpliced(upload);
      expect((await rig.restored(upload.result?.snapshotID ?? '')).equals(content)).toBe(true);
      await rig.keep(upload);
    } finally {
      await told({});
      between.close();
    }
  });

  it('reads everything when the certificate is another one, and tells the reason', async () => {
    await told({ authority: rig.sidecar.otherAuthority });
    const upload = await uploaded();
    await told({});
    expect(reasonOf(upload)).toBe('the certificate of the SnapshotMetadata service is not trusted');
    await rig.keep(upload);
  });

  it('reads everything when the sidecar is not reached, and tells the reason', async () => {
    await told({ address: 'localhost:1' });
    const upload = await uploaded();
    await told({});
    expect(reasonOf(upload)).toBe('the SnapshotMetadata service of the driver does not answer');
    await rig.keep(upload);
  });

  it('may have a token of its own account, and of no other', async () => {
    const name = `upload-${rig.count() + 1}`;
    const upload = await uploaded({ flags: flagsFor(name, rig.volume, nobody.name) });
    expect(reasonOf(upload)).toBe('we may not ask for changed blocks');
    await rig.keep(upload);
  });

  it('builds on its base when another system has written since, and reads everything when nothing of the past counts', async () => {
    const kopia = await rig.repository.kopia();
    await kopia.connect();
    const source = [`--override-source=default@default:${sourcePath}`, '--no-progress'];
    await kopia.run('snapshot', 'create', import.meta.dirname, ...source);
    const upload = await uploaded();
    expectSpliced(upload);
    await rig.keep(upload);
    expect(reasonOf(await uploaded({ spec: { parentSnapshot: 'none' } }))).toBe('parentSnapshot is none');
  });

  it('reads everything when the base was deleted', async () => {
    await rig.deleteBases();
    const upload = await uploaded();
    expect(reasonOf(upload)).toBe('base snapshot gone');
    await rig.keep(upload);
    expectSpliced(await uploaded());
  });

  const verifying = { dataMoverConfig: { KeepBaseSnapshot: 'true', VerifyEvery: '1', VerifySharePercent: '100' } };

  it('compares the unchanged chunks with the base when it is told to', async () => {
    await rig.keep(await uploaded());
    base = await uploaded({ spec: verifying });
    const { readReport } = base.result ?? {};
    expect(readReport?.fullReadReason, base.log).toBeUndefined();
    expect((readReport?.changedBytes ?? 0) + (readReport?.verifiedBytes ?? 0)).toBe(volumeBytes);
    await rig.keep(base);
  });

  it('finds a change that the driver does not tell, raises the alarm and reads everything', async () => {
    await scribble(rig.volume, random, 10);
    // The base of the comparison is newer than what is stored, so these writes are missing in the list.
    await rig.keep({ ...base, handle: await takeSnapshot(rig.driver, rig.volume, 'later') });
    const upload = await uploaded({ spec: verifying });
    expect(upload.result?.readReport, upload.log).toEqual({
      readBytes: volumeBytes,
      fullReadReason: 'base snapshot differs from the volume',
      differsAt: expect.any(Number),
    });
    expect(upload.log).toContain('an unchanged part of the volume is stored with other bytes');
    await rig.keep(upload);
    base = await uploaded({ spec: verifying });
    expect(base.result?.readReport?.verifiedBytes, base.log).toBeGreaterThan(0);
    await rig.keep(base);
  });

  it('fails clearly when the password of the repository is another one', async () => {
    const key = { namespace, name: repositoryCredentials.name };
    const stringData = { [repositoryCredentials.key]: 'another-password' };
    await rig.kube.patch(secretType, key, { type: 'merge', body: { stringData } });
    const upload = await (await rig.start()).ended;
    expect(upload.exitCode).toBe(1);
    expect(upload.message).toMatch(/password/);
    expect(upload.message + upload.log).not.toContain('another-password');
  });

  async function serverOf(mover: number): Promise<number | undefined> {
    return (await allProcesses()).find(({ parentPid }) => parentPid === mover)?.pid;
  }
});
