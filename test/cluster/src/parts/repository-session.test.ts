import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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
  it('stores contents and manifests that the plain program reads, and leaves no process and no file', async () => {
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

  it('has nothing secret in arguments and logs, and stores no user', async () => {
    const session = await rig.open();
    await session.close();
    const said = JSON.stringify([rig.seen, rig.log]);
    expect(said).not.toContain(rigPassword);
    expect(said).not.toMatch(/BEGIN|password=/);
    expect(JSON.parse(await rig.kopia(['manifest', 'list', '--filter=type:user', '--json']))).toEqual([]);
  });
});
