import { silentLogger } from '@lateen/kernel';
import { FakeClock, memoryObjectStore, seededRandom } from '@lateen/testing';
import { expect, it, vi } from 'vitest';
import { openTarget } from './open-target.ts';

const clock = new FakeClock();
const random = seededRandom(1);

it('opens the bucket that the URL names, with the credentials, and closes it', async () => {
  const bucket = memoryObjectStore({ clock });
  const close = vi.spyOn(bucket, 'close');
  const openBucket = vi.fn(() => bucket);
  const secret = { AWS_ACCESS_KEY_ID: 'who' };
  const opened = openTarget({ url: 's3://b@r/a/c/', secret }, { openBucket, clock, random, log: silentLogger });
  expect(openBucket).toHaveBeenCalledWith(
    expect.objectContaining({ bucket: 'b', region: 'r' }),
    secret,
    expect.anything(),
  );
  expect(opened.path).toBe('a/c');
  await opened[Symbol.asyncDispose]();
  expect(close).toHaveBeenCalledOnce();
});

it.each([
  ['nfs://server:/path', 'BACKUP_TARGET_UNSUPPORTED'],
  ['somewhere', 'BACKUP_TARGET_URL'],
])('refuses %s', (url, code) => {
  const openBucket = () => memoryObjectStore({ clock });
  expect(() => openTarget({ url, secret: {} }, { openBucket, clock, random, log: silentLogger })).toThrow(
    expect.objectContaining({ code }),
  );
});
