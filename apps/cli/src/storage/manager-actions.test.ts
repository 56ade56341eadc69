import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { KubeObject } from '@lateen/api-types';
import type { Snapshot } from '@lateen/storage-types';
import { FakeClock, fakeCluster, seededRandom } from '@lateen/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { aHealthyVolume, anEngine, aVolume, storageObject } from './example-storage.ts';
import { storageRunner } from './run-storage.ts';

const servers: ReturnType<typeof createServer>[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A manager that returns the given answer and records the requests. */
async function manager(status = 200, answer = '') {
  const asked: { url: string | undefined; body: string }[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const body = Buffer.concat(await incoming.toArray()).toString();
    asked.push({ url: incoming.url, body });
    outgoing.writeHead(status).end(answer);
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { asked, flags: `--manager-url http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const snapshot = storageObject<Snapshot>('Snapshot', 'before', {
  spec: { volume: 'vol' },
  status: { creationTime: '2030-01-01T12:00:00Z' },
});
const free = aVolume({}, { frontendDisabled: true });

function setUp(...objects: readonly KubeObject[]) {
  const clock = new FakeClock('2030-01-02T00:00:00Z');
  const named = new Map(
    [...aHealthyVolume(), snapshot, ...objects].map((each) => [`${each.kind}/${each.metadata.name}`, each]),
  );
  return storageRunner({ clock, random: seededRandom(), kube: fakeCluster({ clock, objects: [...named.values()] }) });
}

describe('an action that only the manager can do', () => {
  it('is requested through its REST API', async () => {
    const { asked, flags } = await manager();
    expect(await setUp()(`volume trim vol ${flags}`)).toMatchObject({ code: 0, stdout: 'volume vol is trimmed\n' });
    const { stdout, asked: questions } = await setUp(free)(`snapshot revert vol before ${flags}`, { answer: 'y' });
    expect(stdout).toBe('volume vol is reverted to snapshot before\n');
    expect(questions[0]).toContain('Everything written to vol after 2030-01-01T12:00:00Z is lost');
    expect(asked).toEqual([
      { url: '/v1/volumes/vol?action=trimFilesystem', body: '{}' },
      { url: '/v1/volumes/vol?action=snapshotRevert', body: '{"name":"before"}' },
    ]);
  });
  it('fails with its message', async () => {
    const { flags } = await manager(500, JSON.stringify({ type: 'error', message: 'no file system is mounted' }));
    expect(await setUp()(`volume trim vol ${flags}`)).toMatchObject({
      code: 1,
      stderr: 'lateen: no file system is mounted\n',
    });
  });
  it('reports how to reach a manager that does not answer', async () => {
    const { flags } = await manager();
    for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
    const { code, stderr } = await setUp()(`volume trim vol ${flags}`);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('kubectl port-forward -n longhorn-system service/longhorn-backend 9500'),
    ]);
  });
  it.each<[string, KubeObject[], string]>([
    [
      'volume trim vol',
      [anEngine({}, { currentState: 'stopped' })],
      'cannot get vol volume engine: engine is not running',
    ],
    ['snapshot revert vol before --confirm', [], 'failed to revert snapshot for volume vol with frontend enabled'],
    ['snapshot revert vol none --confirm', [free], 'snapshots.longhorn.io "none" not found'],
    ['snapshot revert vol before', [free], 'there is no terminal to ask for it'],
    ['volume trim vol --manager-url nowhere', [], '--manager-url "nowhere" is not a URL'],
  ])('%s is rejected before the manager is called', async (line, objects, words) => {
    const { asked, flags } = await manager();
    const where = line.includes('--manager-url') ? '' : flags;
    expect((await setUp(...objects)(`${line} ${where}`)).stderr).toContain(words);
    expect(asked).toEqual([]);
  });
});
