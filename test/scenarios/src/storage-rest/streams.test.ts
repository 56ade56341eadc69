import { once } from 'node:events';
import { connect } from 'node:net';
import { longhornNamespace, type Volume, volumeType } from '@lateen/storage-types';
import { describe, expect, it } from 'vitest';
import { type RestWorld, restWorld } from './rest-world.ts';
import { aVolume, oneOfEach } from './storage-objects.ts';

const namespace = longhornNamespace;
const each = () => restWorld({ objects: oneOfEach() });

/** Follows a collection; received messages are appended to `messages`. */
async function follow(world: RestWorld, path: string) {
  const socket = new WebSocket(`${world.url.replace('http', 'ws')}${path}`);
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  const messages: any[] = [];
  socket.addEventListener('message', ({ data }) => messages.push(JSON.parse(data as string)));
  const opened = await Promise.race([once(socket, 'open'), once(socket, 'error')]);
  const ids = () => messages.at(-1)?.data.map(({ id }: { id: string }) => id);
  return { socket, messages, ids, opened: opened[0].type === 'open' };
}

describe('a stream', () => {
  it('sends the whole collection immediately, and again after each change, to every client', async () => {
    await using world = await each();
    const clients = [await follow(world, '/v1/ws/volumes'), await follow(world, '/v1/ws/1ms/volumes')];
    const { body } = await world.ask('GET', '/v1/volumes');
    for (const { messages } of clients) await expect.poll(() => messages).toEqual([body]);
    world.cluster.put(...aVolume('pvc-2'));
    for (const { ids } of clients) await expect.poll(ids).toEqual(['pvc-1', 'pvc-2']);
    for (const { socket } of clients) socket.close();
  });
  it('follows the objects of a volume, and sends nothing when the answer is unchanged', async () => {
    await using world = await each();
    const { messages, socket } = await follow(world, '/v1/ws/volumes');
    await expect.poll(() => messages.length).toBe(1);
    const key = { namespace, name: 'pvc-1' };
    // Annotations are not part of the API.
    world.cluster.change<Volume>(volumeType, key, (volume) => {
      volume.metadata.annotations = { a: 'b' };
    });
    world.cluster.change<Volume>(volumeType, key, (volume) => {
      volume.spec.numberOfReplicas = 3;
    });
    await expect.poll(() => messages.at(-1).data[0].numberOfReplicas).toBe(3);
    world.cluster.change<Volume>(volumeType, key, (volume) => {
      volume.metadata.annotations = { a: 'c' };
    });
    await expect.poll(() => world.reader.get('volumes', 'pvc-1')?.metadata.annotations?.a).toBe('c');
    world.cluster.change(
      { ...volumeType, kind: 'Engine', resource: 'engines' },
      { namespace, name: 'pvc-1-e-0' },
      (engine) => {
        Object.assign((engine as { status?: object }).status ?? {}, { endpoint: '/dev/other' });
      },
    );
    await expect.poll(() => messages.at(-1).data[0].controllers[0].endpoint).toBe('/dev/other');
    const texts = messages.map((message) => JSON.stringify(message));
    expect(new Set(texts).size).toBe(texts.length);
    socket.close();
  });
  it.each([
    ...['settings', 'volumes', 'recurringjobs', 'orphans', 'shardgroups', 'shards', 'nodes', 'engineimages'],
    ...['backingimages', 'backupbackingimages', 'backupvolumes', 'backuptargets', 'backups', 'systembackups'],
    ...['systemrestores', 'events', 'volumeattachments'],
  ])('of %s exists', async (collection) => {
    await using world = await each();
    const { messages, socket } = await follow(world, `/v1/ws/1s/${collection}`);
    await expect.poll(() => messages[0]).toMatchObject({ type: 'collection', data: expect.any(Array) });
    socket.close();
  });
  it.each(['/v1/ws/nothing', '/v1/ws/volumes/pvc-1', '/v1/volumes'])('at %s is rejected', async (path) => {
    await using world = await each();
    expect((await follow(world, path)).opened).toBe(false);
  });
  it('ends with the server, and frees its resources when its client disconnects', async () => {
    const world = await each();
    const [stays, goes] = [await follow(world, '/v1/ws/volumes'), await follow(world, '/v1/ws/volumes')];
    const metric = async () =>
      /^lateen_storage_rest_streams (\d+)$/m.exec((await world.ask('GET', '/metrics')).text)?.[1];
    expect(await metric()).toBe('2');
    goes.socket.close();
    await expect.poll(metric).toBe('1');
    const closed = once(stays.socket, 'close');
    await world[Symbol.asyncDispose]();
    await closed;
  });
  it('answers an invalid upgrade request with an error, and continues', async () => {
    await using world = await each();
    const { hostname, port } = new URL(world.url);
    const socket = connect(Number(port), hostname);
    socket.end('GET /v1/ws/volumes HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1.1 400 /);
    expect((await world.ask('GET', '/v1')).status).toBe(200);
  });
});
