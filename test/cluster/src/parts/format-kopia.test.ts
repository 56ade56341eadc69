import { lookAtFormat } from '@lateen/repository';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repositoryRig } from '../repository/repository-rig.ts';
import { type S3Server, startS3Server } from '../repository/s3-server.ts';

/** Damage of the format object is detected without an engine, and the error of the real kopia is the same. */
const prefix = 'format';
const { signal } = new AbortController();

let server: S3Server;

beforeAll(async () => {
  server = await startS3Server();
  await server.makeBucket('backups');
}, 900_000);
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

/** Changes a letter in the middle of the encrypted part, which is the last third of the object. */
const withOneByteChanged = (format: Uint8Array): Uint8Array => {
  const changed = Buffer.from(format);
  const at = changed.indexOf('"encryptedBlockFormat"') + 100;
  changed[at] = changed[at] === 0x41 ? 0x42 : 0x41;
  return changed;
};

describe('the format object of a kopia repository', () => {
  it('is recognized as damaged or missing, also by the engine, and opens when it is restored', async () => {
    const rig = await repositoryRig(server, { prefix });
    await rig.initialise();
    const key = `${rig.prefix}kopia.repository`;
    const location = server.location({ prefix });
    const look = () =>
      rig.store((store) => lookAtFormat(store, location, { engine: 'kopia', volumeNamespace: 'shop' }, { signal }));
    const sound = await look();
    expect(sound.isReadable).toBe(true);
    const format = await rig.store((store) => store.get(key));

    await rig.store((store) => store.put(key, withOneByteChanged(format)));
    const changed = await look();
    expect([changed.isReadable, changed.fingerprint === sound.fingerprint]).toEqual([true, false]);
    await expect(rig.initialise()).rejects.toMatchObject({ code: 'REPOSITORY_PASSWORD_WRONG' });

    await rig.store((store) => store.put(key, format.slice(0, 300)));
    expect((await look()).isReadable).toBe(false);
    await expect(rig.initialise()).rejects.toMatchObject({ code: 'REPOSITORY_CORRUPTED' });

    await rig.store((store) => store.delete(key));
    expect((await look()).isReadable).toBe(false);
    await expect(rig.initialise()).rejects.toMatchObject({
      code: 'REPOSITORY_CORRUPTED',
      message: expect.stringContaining('its object kopia.repository is missing'),
    });

    await rig.store((store) => store.put(key, format));
    expect((await look()).fingerprint).toBe(sound.fingerprint);
    await rig.initialise();
  });
});
