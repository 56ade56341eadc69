import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isAlive, rigPassword, type SessionRig, sessionRig } from '../repository/session-rig.ts';

/** The conformance suite of the repository session against the real kopia. */
const { signal } = new AbortController();
const never = { signal };
let rig: SessionRig;

beforeEach(async () => {
  rig = await sessionRig();
});
afterEach(() => rig[Symbol.asyncDispose]());

describe('a repository session', () => {
  it('stores contents and manifests that the plain program can read, and leaves no process and no file', async () => {
    const session = await rig.open();
    expect(session.parameters).toMatchObject({ splitter: 'DYNAMIC-4M-BUZHASH', hashFunction: 'BLAKE2B-256-128' });
    const data = Buffer.from('content of a session');
    const id = await session.writeContent({ prefix: '', data }, never);
    expect(await session.writeContent({ prefix: '', data }, never)).toBe(id);
    const labels = { type: 'test', hostname: 'default', username: 'default', path: 'p' };
    const manifest = await session.putManifest({ json: '{"a":1}', labels }, never);
    await session.flush(never);
    expect(Buffer.from(await session.getContent(id, never))).toEqual(data);
    expect(await session.findManifests({ type: 'test' }, never)).toEqual([{ id: manifest, labels }]);
    expect(JSON.parse((await session.getManifest(manifest, never)).json)).toEqual({ a: 1 });
    await session.close();
    expect(await rig.kopia(['content', 'show', id])).toBe('content of a session');
    expect(await rig.kopia(['manifest', 'show', manifest])).toContain('"a": 1');
    expect(rig.pids.filter(isAlive)).toEqual([]);
    expect(await rig.leftovers()).toEqual([]);
  });

  it('has no secret in arguments and logs, and stores no user', async () => {
    const session = await rig.open();
    await session.close();
    const said = JSON.stringify([rig.seen, rig.log]);
    expect(said).not.toContain(rigPassword);
    expect(said).not.toMatch(/BEGIN|password=/);
    expect(JSON.parse(await rig.kopia(['manifest', 'list', '--filter=type:user', '--json']))).toEqual([]);
  });

  it('leaves maintenance to the Jobs, even when it is due', async () => {
    const session = await rig.open();
    await session.flush(never);
    await session.close();
    const info = async () => JSON.parse(await rig.kopia(['maintenance', 'info', '--json'])) as { schedule?: object };
    expect(await info()).toMatchObject({ owner: 'default@default', quick: { enabled: true } });
    expect((await info()).schedule).not.toHaveProperty('runs.advance-epoch');
  });

  it('is rejected with a wrong password, and leaves nothing', async () => {
    await expect(rig.open('wrong')).rejects.toMatchObject({ code: 'REPOSITORY_PASSWORD_WRONG' });
    expect(rig.pids.filter(isAlive)).toEqual([]);
    expect(await rig.leftovers()).toEqual([]);
  });

  it('is not started after an abort, and leaves nothing', async () => {
    const stop = new AbortController();
    const opening = rig.open(rigPassword, stop.signal);
    await vi.waitFor(() => expect(rig.seen.at(-1)).toContain('server start'), { timeout: 30_000, interval: 5 });
    stop.abort(new Error('told to stop'));
    await expect(opening).rejects.toThrow('told to stop');
    expect(rig.pids.filter(isAlive)).toEqual([]);
    expect(await rig.leftovers()).toEqual([]);
  });

  it('continues when the password is changed; the next session needs the new password', async () => {
    const session = await rig.open();
    const first = await session.writeContent({ prefix: '', data: Buffer.from('before') }, never);
    await session.flush(never);
    await rig.kopia(['repository', 'change-password', '--new-password=another-password-1b7e']);
    const second = await session.writeContent({ prefix: '', data: Buffer.from('after') }, never);
    await session.flush(never);
    await session.close();
    await expect(rig.open()).rejects.toMatchObject({ code: 'REPOSITORY_PASSWORD_WRONG' });
    const next = await rig.open('another-password-1b7e');
    const read = await Promise.all([first, second].map((id) => next.getContent(id, never)));
    expect(read.map(String)).toEqual(['before', 'after']);
    await next.close();
  });

  it('runs in parallel to others on the same repository, and each sees the same contents', async () => {
    const sessions = await Promise.all([rig.open(), rig.open(), rig.open()]);
    const contents = Array.from({ length: 40 }, (_, at) => Buffer.alloc(50_000, `content ${at} `));
    const written = await Promise.all(
      sessions.map(async (session) => {
        const ids = await Promise.all(contents.map((data) => session.writeContent({ prefix: '', data }, never)));
        const manifest = await session.putManifest(
          { json: '{}', labels: { type: 'test', hostname: 'default', username: 'default' } },
          never,
        );
        await session.flush(never);
        return { ids, manifest };
      }),
    );
    for (const session of sessions) await session.close();
    expect(new Set(written.map(({ ids }) => ids.join()))).toHaveProperty('size', 1);
    const after = await rig.open();
    const found = await after.findManifests({ type: 'test' }, never);
    expect(found.map(({ id }) => id).sort()).toEqual(written.map(({ manifest }) => manifest).sort());
    for (const [at, id] of (written[0]?.ids ?? []).entries())
      expect(Buffer.from(await after.getContent(id, never)).equals(contents[at] ?? Buffer.of())).toBe(true);
    await after.close();
    await rig.kopia(['content', 'verify', '--full']);
  });

  it('reports that it is lost when its server is killed, with the exit', async () => {
    const session = await rig.open();
    const server = rig.pids.at(-1) ?? 0;
    const written = session.writeContent({ prefix: '', data: Buffer.alloc(1_000_000, 'x') }, never);
    await written;
    process.kill(server, 'SIGKILL');
    const error = await session.flush(never).catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: 'REPOSITORY_SESSION_LOST', retry: 'soon', cause: { code: 'ENGINE_KILLED' } });
    expect(session.over.aborted).toBe(true);
    await session.close();
    expect(await rig.leftovers()).toEqual([]);
  });

  it('names contents and manifests that do not exist', async () => {
    const session = await rig.open();
    const id = '0'.repeat(32);
    await expect(session.getContent(id, never)).rejects.toMatchObject({ code: 'CONTENT_MISSING' });
    await expect(session.getManifest(id, never)).rejects.toMatchObject({ code: 'SNAPSHOT_NOT_FOUND' });
    await session.close();
  });
});

describe.skipIf(process.getuid?.() !== 0)('a repository session on a full store', () => {
  it('fails with a named error, and earlier data is intact', async () => {
    const share = join(rig.directory, 'small');
    await mkdir(share);
    await execa('mount', ['-t', 'tmpfs', '-o', 'size=40m', 'lateen-test', share]);
    const full = await sessionRig(share);
    try {
      const session = await full.open();
      const kept = await session.writeContent({ prefix: '', data: Buffer.from('kept') }, never);
      await session.flush(never);
      const fill = async () => {
        for (let at = 0; at < 30; at++)
          await session.writeContent({ prefix: '', data: Buffer.concat([Buffer.alloc(4e6, `${at}`)]) }, never);
        await session.flush(never);
      };
      await expect(fill()).rejects.toMatchObject({ code: 'OBJECT_STORE_FULL' });
      await session.close();
      expect(full.pids.filter(isAlive)).toEqual([]);
      const next = await full.open();
      expect(Buffer.from(await next.getContent(kept, never)).toString()).toBe('kept');
      await next.close();
    } finally {
      await execa('umount', ['-l', share]);
      await full[Symbol.asyncDispose]();
    }
  });
});
