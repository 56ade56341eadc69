import { childRunner } from '@lateen/child-process';
import { isAppError } from '@lateen/errors';
import { systemClock } from '@lateen/kernel';
import { openKopiaSession } from '@lateen/repository';
import { changePassword, kopiaRepository, type RepositorySession } from '@lateen/repository/operations';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repositoryRig, testPassword } from '../repository/repository-rig.ts';
import { type S3Server, startS3Server } from '../repository/s3-server.ts';

/**
 * The state after the real kopia is killed between the two files of a password change (docs/adr/0014): the error is recognized, and the
 * repair that we suggest works.
 */
const prefix = 'password';
const newPassword = 'another-password-1b7e';
const { signal } = new AbortController();

let server: S3Server;

beforeAll(async () => {
  server = await startS3Server();
  await server.makeBucket('backups');
}, 900_000);
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

async function withSession<T>(password: string, use: (session: RepositorySession) => Promise<T>): Promise<T> {
  const target = {
    location: server.location({ prefix }),
    volumeNamespace: 'shop',
    password,
    uid: 'ABCDEF01-uid',
    cacheLimitMB: 100,
  };
  const engine = childRunner({ program: server.kopia, clock: systemClock, graceMs: 10_000 });
  const options = { process: engine, workDirectory: server.directory, environment: process.env };
  const session = kopiaRepository(await openKopiaSession(target, options));
  try {
    return await use(session);
  } finally {
    await session.close();
  }
}

/** `opens`, or the error code. */
const attempt = (password: string): Promise<string> =>
  withSession(password, async (session) => {
    const exit = await session.run(['maintenance', 'info', '--json'], { signal });
    return exit.exitCode === 0 ? 'opens' : session.failure(exit, 'opening').code;
  });

const change = (from: string, to: string): Promise<string> =>
  withSession(from, (session) =>
    changePassword(session, to, { signal }).then(
      () => 'changed',
      (error: unknown) => (isAppError(error) ? error.code : String(error)),
    ),
  );

describe('the password of a kopia repository', () => {
  it('is changed; a half-finished change is recognized, and the repository opens with the old password without kopia.blobcfg', async () => {
    const rig = await repositoryRig(server, { prefix });
    await rig.initialise();
    const format = await rig.store((store) => store.get(`${rig.prefix}kopia.repository`));
    expect(await change(testPassword, newPassword)).toBe('changed');
    expect([await attempt(testPassword), await attempt(newPassword)]).toEqual(['REPOSITORY_PASSWORD_WRONG', 'opens']);

    // As if kopia had been killed before its second write.
    await rig.store((store) => store.put(`${rig.prefix}kopia.repository`, format));
    expect([await attempt(testPassword), await attempt(newPassword)]).toEqual([
      'REPOSITORY_PASSWORD_HALF_CHANGED',
      'REPOSITORY_PASSWORD_WRONG',
    ]);
    expect(await change(testPassword, newPassword)).toBe('REPOSITORY_PASSWORD_HALF_CHANGED');

    await rig.store((store) => store.delete(`${rig.prefix}kopia.blobcfg`));
    expect(await attempt(testPassword)).toBe('opens');
    expect(await change(testPassword, newPassword)).toBe('changed');
    expect(await attempt(newPassword)).toBe('opens');
  });
});
