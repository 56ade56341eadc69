import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { aDataDownload, aDataUpload } from '@lateen/testing';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runMover } from '../repository/mover-process.ts';
import { testPassword } from '../repository/repository-rig.ts';
import { resticRig } from '../repository/restic-rig.ts';
import { type S3Server, s3Keys, startS3Server } from '../repository/s3-server.ts';

const setUpMs = 900_000;
const isRoot = process.getuid?.() === 0;

let server: S3Server;

beforeAll(async () => {
  server = await startS3Server();
  await server.makeBucket('backups');
}, setUpMs);

afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

/** Entries that restic stores and kopia alone does not, and ordinary ones. */
const content = `mkdir d; head -c 3000000 /dev/urandom > d/big; ln d/big hard; mkfifo pipe; ln -s d/big link; chmod 4750 d
  printf x > attributed; setfattr -n user.lateen -v kept attributed; chown 12:34 attributed d; chmod 1751 .`;
const look = `find . -printf '%p %y %m %U:%G %n %l\\n' | sort; getfattr -R -d . ; find . -type f -print0 | sort -z | xargs -0 sha256sum`;
const inVolume = async (cwd: string, script: string) => (await execa('/bin/sh', ['-euc', script], { cwd })).stdout;

describe.skipIf(!isRoot)('the data mover with UploaderType restic', () => {
  it('uploads a volume and restores it completely, as a process of its own', async () => {
    await (await resticRig(server)).initialise();
    const volumes = await Promise.all(['a', 'b'].map((name) => mkdtemp(join(server.directory, `${name}-`))));
    const [from = '', to = ''] = volumes;
    for (const volume of volumes) await execa('mount', ['-t', 'tmpfs', '-o', 'size=50m', 'lateen-test', volume]);
    try {
      await inVolume(from, content);
      const common = { backupStorageLocation: 'default', sourceNamespace: 'shop' };
      const dataMoverConfig = { UploaderType: 'restic' };
      const upload = { ...common, sourcePVC: 'data', dataMoverConfig };
      const backup = await runMover(server, {
        movement: aDataUpload({ name: 'du', phase: 'InProgress', spec: upload }),
        engine: 'restic',
        volumePath: from,
      });
      expect([backup.exitCode, backup.events.at(-1)?.reason], backup.log).toEqual([0, 'Data-Path-Stopped']);
      const { snapshotID, totalBytes } = JSON.parse(backup.message);
      expect(snapshotID).toMatch(/^[0-9a-f]{64}$/);
      const download = { ...common, snapshotID, dataMoverConfig };
      const restore = await runMover(server, {
        movement: aDataDownload({ name: 'dd', phase: 'InProgress', spec: download }),
        engine: 'restic',
        volumePath: to,
      });
      expect(restore.exitCode, restore.log).toBe(0);
      expect(JSON.parse(restore.message)).toMatchObject({ totalBytes: expect.any(Number) });
      expect(totalBytes).toBeGreaterThan(3_000_000);
      expect(await inVolume(to, look)).toBe(await inVolume(from, look));
      for (const secret of [testPassword, s3Keys.secretAccessKey])
        expect(backup.log + restore.log).not.toContain(secret);
    } finally {
      for (const volume of volumes) await execa('umount', [volume]);
    }
  });
});
