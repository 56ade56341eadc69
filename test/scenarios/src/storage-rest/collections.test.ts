import { settingDefinitions } from '@lateen/volume-decisions';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RestWorld, restWorld } from './rest-world.ts';
import { oneOfEach } from './storage-objects.ts';

let world: RestWorld;
beforeAll(async () => {
  world = await restWorld({ objects: oneOfEach() });
});
afterAll(() => world[Symbol.asyncDispose]());

/** Types whose objects are returned only by actions, or are parts of others: the links of their collections lead to 404. */
const collections: Readonly<Record<string, number>> = {
  volume: 1,
  setting: settingDefinitions.length,
  node: 2,
  backupTarget: 1,
  backupVolume: 1,
  recurringJob: 1,
  engineImage: 1,
  instanceManager: 1,
  volumeAttachment: 1,
  orphan: 1,
  event: 1,
  shard: 0,
  shardGroup: 0,
  backingImage: 0,
  backupBackingImage: 0,
  systemBackup: 0,
  systemRestore: 0,
  supportBundle: 0,
};

describe('a client that discovers types', () => {
  it('can list every collection, and follow the link of each object to the same object', async () => {
    const client = await world.client();
    expect(client.types.size).toBe(90);
    for (const [type, count] of Object.entries(collections)) {
      const all = await client.list(type);
      expect([type, all.length]).toEqual([type, count]);
      // The schema has a type for events, but there is no route to list them.
      for (const one of type === 'event' ? [] : all) expect(await client.reload(one)).toEqual(one);
    }
  });
  it('gets 404 where a type has no route', async () => {
    const client = await world.client();
    for (const type of ['backup', 'replica', 'snapshot', 'tag']) await expect(client.list(type)).rejects.toThrow(/404/);
  });
});

describe('the schemas of the API', () => {
  it.each([['/'], ['/v1/apiversions']])('at %s list the versions', async (path) => {
    const { body, headers } = await world.ask('GET', path);
    expect(body).toMatchObject({ type: 'collection', data: [{ id: 'v1' }], links: { latest: `${world.url}/v1` } });
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'x-api-schemas': `${world.url}/v1/schemas` });
  });
  it('ignore case, and consist of links for an unknown type', async () => {
    expect((await world.ask('GET', '/v1/schemas/VOLUME')).body).toMatchObject({ id: 'volume', type: 'schema' });
    expect((await world.ask('GET', '/v1/schemas/nothing')).body).toEqual({
      links: { self: `${world.url}/v1/schemas/nothing` },
    });
  });
  it('have links to the address that the client used', async () => {
    const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'ui.example.com' };
    const { body } = await world.ask('GET', '/v1/volumes/pvc-1', undefined, headers);
    expect(body.links.self).toBe('https://ui.example.com/v1/volumes/pvc-1');
    expect(body.actions.detach).toBe('https://ui.example.com/v1/volumes/pvc-1?action=detach');
  });
});

describe('an object or path that does not exist', () => {
  it.each([
    ['/v1/nothing', 404, 'text/plain', '404 page not found\n'],
    ['/v1/volumes/pvc-9', 404, null, ''],
    ['/v1/../volumes', 404, 'text/plain', '404 page not found\n'],
  ])('%s: %i', async (path, status, contentType, text) => {
    const answer = await world.ask('GET', path);
    expect([answer.status, answer.text]).toEqual([status, text]);
    expect(answer.headers?.['content-type'] ?? null).toBe(contentType);
  });
  it('returns an error in JSON with content type text/plain', async () => {
    const { status, body, headers } = await world.ask('GET', '/v1/nodes/node-9');
    expect([status, headers?.['content-type']]).toEqual([404, 'text/plain']);
    expect(body).toEqual({
      type: 'error',
      status: 404,
      code: 'Not Found',
      message: 'nodes.longhorn.io "node-9" not found',
      detail: '',
      links: { self: `${world.url}/v1/nodes/node-9` },
      actions: {},
    });
  });
  it('returns 405 for a method that the path does not support', async () => {
    expect((await world.ask('DELETE', '/v1/instancemanagers')).status).toBe(405);
    expect((await world.ask('PUT', '/v1/volumes/pvc-1', {})).status).toBe(405);
  });
  it('redirects a slash at the end of a path', async () => {
    const { status, headers } = await world.ask('GET', '/v1/volumes/?x=1');
    expect([status, headers?.location]).toEqual([301, '/v1/volumes?x=1']);
    expect((await world.ask('GET', '//example.com/')).status).toBe(404);
  });
});

describe('lists', () => {
  it('of tags have each tag once, with the link of the list', async () => {
    const { body } = await world.ask('GET', '/v1/disktags');
    expect(body).toMatchObject({
      resourceType: 'tag',
      links: { self: `${world.url}/v1/disktags` },
      data: [{ id: 'ssd', tagType: 'disk', links: { self: `${world.url}/v1/disktags` } }],
    });
    const { body: nodeTags } = await world.ask('GET', '/v1/nodetags');
    expect(nodeTags.data.map(({ id }: { id: string }) => id)).toEqual(['fast', 'slow']);
  });
  it('of nodes have the address of the manager on each node', async () => {
    world.cluster.put({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'volume-manager-x', namespace: 'longhorn-system', labels: { app: 'volume-manager' } },
      ...{ spec: { nodeName: 'node-1', containers: [] }, status: { podIP: '10.1.0.5' } },
    });
    await expect.poll(async () => (await world.ask('GET', '/v1/nodes/node-1')).body.address).toBe('10.1.0.5');
  });
  it('of volumes say how to create one', async () => {
    const { body } = await world.ask('GET', '/v1/volumes');
    expect(body).toMatchObject({ resourceType: 'volume', createTypes: { volume: `${world.url}/v1/volumes` } });
    expect(body.data[0]).toMatchObject({
      id: 'pvc-1',
      controllers: [{ name: 'pvc-1-e-0' }],
      replicas: [{ mode: 'RW' }],
    });
  });
});

it('requests are counted in Prometheus metrics', async () => {
  const { text } = await world.ask('GET', '/metrics');
  expect(text).toMatch(/lateen_storage_rest_requests_total\{method="GET",route="\/v1\/volumes",status="200"\} \d/);
});

it('a request is rejected while its lists have not been read yet', async () => {
  await using early = await restWorld({ objects: oneOfEach(), unsynced: ['volumes'] });
  const { status, body } = await early.ask('GET', '/v1/volumes');
  expect([status, body.code]).toEqual([503, 'Service Unavailable']);
  expect(body.message).toContain('has not read all objects yet: volumes');
});
