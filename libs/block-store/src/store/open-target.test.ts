import { silentLogger } from '@lateen/kernel';
import { FakeClock, memoryObjectStore, seededRandom } from '@lateen/testing';
import { expect, it, vi } from 'vitest';
import { openTarget } from './open-target.ts';

const clock = new FakeClock();
const random = seededRandom(1);
const { signal } = new AbortController();

function portsUnderTest() {
  const store = memoryObjectStore({ clock });
  const close = vi.spyOn(store, 'close');
  const openBucket = vi.fn(() => store);
  const openDirectory = vi.fn(async () => store);
  return { close, openBucket, openDirectory, ports: { openBucket, openDirectory, clock, random, log: silentLogger } };
}

it('opens the bucket in the URL with the credentials, and closes it', async () => {
  const { close, openBucket, openDirectory, ports } = portsUnderTest();
  const secret = { AWS_ACCESS_KEY_ID: 'who' };
  const opened = await openTarget({ url: 's3://b@r/a/c/', secret }, ports, { signal });
  expect(openBucket).toHaveBeenCalledWith(
    expect.objectContaining({ bucket: 'b', region: 'r' }),
    secret,
    expect.anything(),
  );
  expect(openDirectory).not.toHaveBeenCalled();
  expect(opened.path).toBe('a/c');
  await opened[Symbol.asyncDispose]();
  expect(close).toHaveBeenCalledOnce();
});

it.each([
  ['nfs://server:/a/b?nfsOptions=ro', { kind: 'nfs', server: 'server', path: 'a/b', options: 'ro' }],
  ['file:///a/b', { kind: 'directory', path: 'a/b' }],
])('opens the directory of %s as the root of the target, and closes it', async (url, place) => {
  const { close, openDirectory, ports } = portsUnderTest();
  const opened = await openTarget({ url, secret: {} }, ports, { signal });
  expect(openDirectory).toHaveBeenCalledWith(place, { random }, { signal });
  expect(opened.path).toBe('');
  await opened[Symbol.asyncDispose]();
  expect(close).toHaveBeenCalledOnce();
});

it.each([
  ['cifs://server/share', 'BACKUP_TARGET_UNSUPPORTED'],
  ['somewhere', 'BACKUP_TARGET_URL'],
])('rejects %s', async (url, code) => {
  const { ports } = portsUnderTest();
  await expect(openTarget({ url, secret: {} }, ports, { signal })).rejects.toMatchObject({ code });
});
