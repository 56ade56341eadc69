import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@lateen/kernel';
import { FakeClock, seededRandom } from '@lateen/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type NfsMountPorts, nfsLimits, nfsMounts } from './nfs-mounts.ts';
import { targetDirectories } from './target-directory.ts';

/** With programs that record their calls and keep the mount table in a file, because a test cannot mount NFS. */
let top: string;
let clock: FakeClock;
const { signal } = new AbortController();
const place = { server: '10.0.0.1', path: 'a', options: undefined };

beforeEach(async () => {
  top = await mkdtemp(join(tmpdir(), 'lateen-nfs-'));
  clock = new FakeClock();
  await mkdir(join(top, 'bin'));
  await writeFile(join(top, 'mountinfo'), '');
  await writeFile(join(top, 'calls'), '');
  await mountDoes('');
  await program('umount', 'grep -v " $at " mountinfo > rest; cat rest > mountinfo');
});
afterEach(() => rm(top, { recursive: true, force: true }));

/** The last argument is in `at`, and the working directory is that of the test. */
async function program(name: string, body: string): Promise<void> {
  const path = join(top, 'bin', name);
  const text = `#!/bin/sh\necho "${name} $*" >> ${top}/calls\nfor at; do :; done\ncd ${top}\n${body}\n`;
  await writeFile(path, text);
  await chmod(path, 0o755);
}

/** Mounts after `first`, which may end the program. */
const mountDoes = (first: string) =>
  program('mount', `${first}\necho "9 1 0:1 / $at rw - nfs4 10.0.0.1:/a rw" >> mountinfo`);

const calls = async () => (await readFile(join(top, 'calls'), 'utf8')).split('\n').slice(0, -1);
const folders = () => readdir(join(top, 'mounts'));
const mountsOf = (ports: Partial<NfsMountPorts> = {}) =>
  nfsMounts({
    ...{ directory: join(top, 'mounts'), path: `${join(top, 'bin')}:/usr/bin:/bin`, clock, log: silentLogger },
    ...{ pid: process.pid, mountInfo: () => readFile(join(top, 'mountinfo'), 'utf8') },
    ...ports,
  });

describe('nfsMounts', () => {
  it('mounts without a shell, and unmounts unused mounts', async () => {
    const mounts = mountsOf();
    const opened = await mounts.open({ ...place, path: 'a $(touch x); b' }, { signal });
    const options = 'soft,timeo=100,retrans=2,actimeo=1,nosuid,nodev,noexec,vers=4.2,addr=10.0.0.1';
    expect(await calls()).toEqual([`mount -i -t nfs4 -o ${options} 10.0.0.1:/a $(touch x); b ${opened.directory}`]);
    await opened[Symbol.asyncDispose]();
    await opened[Symbol.asyncDispose]();
    expect((await calls()).slice(1)).toEqual([`umount -i -c ${opened.directory}`]);
    expect(await folders()).toEqual([]);
  });

  it('shares a mount among equal requests, and unmounts it once, with the last one', async () => {
    const mounts = mountsOf();
    const [one, two] = await Promise.all([mounts.open(place, { signal }), mounts.open(place, { signal })]);
    const other = await mounts.open({ ...place, options: 'ro' }, { signal });
    expect(one.directory).toBe(two.directory);
    expect(other.directory).not.toBe(one.directory);
    await one[Symbol.asyncDispose]();
    expect(await calls()).toHaveLength(2);
    await two[Symbol.asyncDispose]();
    expect((await calls()).at(-1)).toBe(`umount -i -c ${two.directory}`);
    await using again = await mounts.open(place, { signal });
    expect(again.directory).not.toBe(one.directory);
    await other[Symbol.asyncDispose]();
  });

  it('reports once to all waiters that a server does not answer, and leaves no process', async () => {
    await mountDoes('echo $$ > pid; exec sleep 1000');
    const mounts = mountsOf();
    const waiting = [1, 2, 3].map(() => mounts.open(place, { signal }).catch((error: unknown) => error));
    const pid = await vi.waitFor(
      async () => (await readFile(join(top, 'pid'), 'utf8')).trim() || Promise.reject(),
      20_000,
    );
    await clock.advance(nfsLimits.mountMs);
    for (const error of await Promise.all(waiting))
      expect(error).toMatchObject({
        code: 'BACKUP_TARGET_UNAVAILABLE',
        retry: 'later',
        message: '10.0.0.1:/a cannot be mounted: it has not answered in 20s',
        nextStep: expect.stringContaining('2049'),
      });
    expect(await calls()).toHaveLength(1);
    expect(() => process.kill(Number(pid), 0)).toThrow(expect.objectContaining({ code: 'ESRCH' }));
    await vi.waitFor(async () => expect(await folders()).toEqual([]), 20_000);
  });

  it('tries older versions, reports the message of mount, and tries again on the next request', async () => {
    await mountDoes('case "$*" in *vers=4.0*) ;; *) echo "mount: Protocol not supported." >&2; exit 32;; esac');
    const mounts = mountsOf();
    const opened = await mounts.open(place, { signal });
    expect((await calls()).map((line) => /vers=([0-9.]+)/.exec(line)?.[1])).toEqual(['4.2', '4.1', '4.0']);
    await opened[Symbol.asyncDispose]();
    await mountDoes('echo "mount: access denied by server" >&2; exit 32');
    await expect(mounts.open(place, { signal })).rejects.toMatchObject({
      message: '10.0.0.1:/a cannot be mounted: mount: access denied by server',
    });
    await mountDoes('');
    await using again = await mounts.open(place, { signal });
    expect(await folders()).toEqual([again.directory.slice(again.directory.lastIndexOf('/') + 1)]);
  });

  it('does not use a folder where nothing is mounted', async () => {
    await program('mount', 'exit 0');
    await expect(mountsOf().open(place, { signal })).rejects.toMatchObject({ code: 'BACKUP_TARGET_UNAVAILABLE' });
    expect(await folders()).toEqual([]);
  });

  it('reports a server without an address', async () => {
    const resolve = () => Promise.reject(new Error('getaddrinfo ENOTFOUND nas'));
    await expect(mountsOf({ resolve }).open({ ...place, server: 'nas' }, { signal })).rejects.toMatchObject({
      message: expect.stringContaining('the address of nas is not known: getaddrinfo ENOTFOUND nas'),
    });
    expect(await calls()).toEqual([]);
  });

  it('releases an aborted caller, and unmounts when the mount completes later', async () => {
    await mountDoes('echo $$ > pid; until test -e go; do sleep 0.02; done');
    const stop = new AbortController();
    const waiting = mountsOf().open(place, { signal: stop.signal });
    await vi.waitFor(() => readFile(join(top, 'pid')), 20_000);
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await writeFile(join(top, 'go'), '');
    await vi.waitFor(async () => expect(await folders()).toEqual([]), 20_000);
    expect((await calls()).at(-1)).toContain('umount -i -c');
  });

  it('unmounts although a file is still open', async () => {
    const opened = await mountsOf().open(place, { signal });
    await program('umount', 'case "$*" in *-l*) : > mountinfo;; *) echo "target is busy" >&2; exit 32;; esac');
    await opened[Symbol.asyncDispose]();
    expect(await folders()).toEqual([]);
  });

  it('unmounts what a killed process has left, and nothing of a running one', async () => {
    const [gone, running] = ['2147483646-1', '1-1'].map((name) => join(top, 'mounts', name));
    for (const at of [gone, running]) await mkdir(at ?? '', { recursive: true });
    await writeFile(join(top, 'mountinfo'), `9 1 0:1 / ${gone} rw - nfs4 x rw\n9 1 0:1 / ${running} rw - nfs4 x rw\n`);
    await using opened = await mountsOf().open(place, { signal });
    expect((await calls())[0]).toBe(`umount -i -c ${gone}`);
    expect((await folders()).toSorted()).toEqual(
      ['1-1', opened.directory.slice(opened.directory.lastIndexOf('/') + 1)].toSorted(),
    );
  });
});

describe('targetDirectories', () => {
  const open = (mounts = mountsOf()) => targetDirectories(mounts);
  it('is a store on the mount, and unmounts it with the store', async () => {
    const store = await open()({ kind: 'nfs', ...place }, { random: seededRandom(1) }, { signal });
    await store.put('backupstore/a', new Uint8Array([1]));
    expect(await store.get('backupstore/a')).toEqual(Buffer.from([1]));
    await store.delete('backupstore/a');
    await store.close();
    expect(await folders()).toEqual([]);
  });
  it('reports a missing directory of the pods', async () => {
    const store = await open()({ kind: 'directory', path: `${top}/none` }, { random: seededRandom(1) }, { signal });
    await expect(store.exists('a')).rejects.toMatchObject({
      code: 'BUCKET_NOT_FOUND',
      nextStep: expect.stringContaining('into the pods of managers and instance managers'),
    });
    await store.close();
  });
});
